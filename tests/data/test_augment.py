import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pauci.data import Augmenter, channel_statistics
from pauci.errors import InputError

MEAN, STD = [0.5, 0.25, 0.4], [0.2, 0.3, 0.25]
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")),
]


def pictures(n=6, height=8, width=8, channels=3, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n, height, width, channels), dtype=np.uint8)


def generator(seed=0, device="cpu"):
    return torch.Generator(device).manual_seed(seed)


def normalised(image, mean=MEAN, std=STD):
    """One image, pixel by pixel, in float32."""
    result = np.empty((image.shape[2], *image.shape[:2]), dtype=np.float32)
    for y, x, c in np.ndindex(*image.shape):
        scale = np.float32(1) / (np.float32(std[c]) * np.float32(255))
        result[c, y, x] = (np.float32(image[y, x, c]) - np.float32(mean[c]) * np.float32(255)) * scale
    return result


def all_crops(image, pad, flip):
    """Every augmented form of one image, by padding, mirroring and cutting it."""
    height, width, _ = image.shape
    for mirrored in (False, True) if flip else (False,):
        padded = np.pad(image[:, ::-1] if mirrored else image, ((pad, pad), (pad, pad), (0, 0)))
        for top, left in itertools.product(range(2 * pad + 1), repeat=2):
            yield (mirrored, top, left), normalised(padded[top : top + height, left : left + width])


@settings(max_examples=25, deadline=None)
@given(
    height=st.integers(1, 7), width=st.integers(1, 7), channels=st.sampled_from([1, 3]), pad=st.integers(0, 2),
    flip=st.booleans(), seed=st.integers(0, 1000),
)  # fmt: skip
def test_each_result_is_exactly_a_crop_of_its_image(height, width, channels, pad, flip, seed):
    images = pictures(4, height, width, channels, seed)
    augment = Augmenter(images, mean=MEAN[:channels], std=STD[:channels], pad=pad, flip=flip)
    index = torch.tensor([3, 0, 0, 2, 1, 3])
    batch = augment(index, generator=generator(seed))
    assert batch.shape == (6, channels, height, width)
    for row, result in zip(index, batch, strict=True):
        forms = [form for _, form in all_crops(images[row], pad, flip)]
        assert any(np.array_equal(result.numpy(), form) for form in forms)


def test_every_crop_and_flip_is_equally_likely():
    images = pictures(1, 6, 6)
    augment = Augmenter(images, mean=MEAN, std=STD, pad=1)
    forms = {form.tobytes(): key for key, form in all_crops(images[0], 1, True)}
    batch = augment(torch.zeros(9000, dtype=torch.long), generator=generator())
    counts = dict.fromkeys(forms.values(), 0)
    for result in batch:
        counts[forms[result.contiguous().numpy().tobytes()]] += 1
    assert len(counts) == 18
    assert list(counts.values()) == pytest.approx([500] * 18, abs=110)  # five standard deviations


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_layout_and_type(dtype, device):
    augment = Augmenter(pictures(), mean=MEAN, std=STD, dtype=dtype, max_angle=10, device=device)
    index = torch.tensor([1, 4], device=device)
    for batch in (augment(index, generator=generator(device=device)), augment.plain(index)):
        assert batch.dtype == dtype
        assert batch.device.type == device
        assert batch.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("device", DEVICES)
def test_plain_is_the_image_itself(device):
    images = pictures()
    augment = Augmenter(torch.from_numpy(images), mean=MEAN, std=STD, device=device)
    batch = augment.plain(torch.tensor([5, 0], device=device)).cpu()
    expected = np.stack([normalised(images[5]), normalised(images[0])])
    assert torch.allclose(batch, torch.from_numpy(expected), rtol=0, atol=1e-6)
    half = Augmenter(images, mean=MEAN, std=STD, dtype=torch.bfloat16, device=device)
    assert torch.equal(half.plain(torch.tensor([5, 0], device=device)).cpu(), torch.from_numpy(expected).bfloat16())


def rotated(image, angle):
    """One normalised image, turned counter-clockwise about its centre, bilinear, zero outside."""
    _, height, width = image.shape
    result = np.zeros_like(image)
    for y, x in np.ndindex(height, width):
        dy, dx = y - (height - 1) / 2, x - (width - 1) / 2
        sx = np.cos(angle) * dx - np.sin(angle) * dy + (width - 1) / 2
        sy = np.sin(angle) * dx + np.cos(angle) * dy + (height - 1) / 2
        for ny, nx in itertools.product(
            (int(np.floor(sy)), int(np.floor(sy)) + 1), (int(np.floor(sx)), int(np.floor(sx)) + 1)
        ):
            if 0 <= ny < height and 0 <= nx < width:
                result[:, y, x] += (1 - abs(sy - ny)) * (1 - abs(sx - nx)) * image[:, ny, nx]
    return result


@pytest.mark.parametrize("size", [(8, 8), (6, 9)])
def test_rotation_against_one_pixel_at_a_time(size):
    images = pictures(3, *size)
    augment = Augmenter(images, mean=MEAN, std=STD, flip=False, pad=0, max_angle=30)
    batch = augment(torch.arange(3), generator=generator(5))
    angles = (torch.rand(3, generator=generator(5)) * 2 - 1) * np.radians(30)
    assert angles.abs().max() > 0.1
    for image, angle, result in zip(images, angles, batch, strict=True):
        assert result.numpy() == pytest.approx(rotated(normalised(image), float(angle)), abs=1e-4)


def test_the_generator_alone_decides():
    augment = Augmenter(pictures(), mean=MEAN, std=STD, max_angle=15)
    index = torch.arange(6)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first = augment(index, generator=generator(1))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first, augment(index, generator=generator(1)))
    assert not torch.equal(first, augment(index, generator=generator(2)))


def test_read_only_arrays_are_welcome_and_left_alone():
    images = pictures()
    images.setflags(write=False)
    augment = Augmenter(images, mean=MEAN, std=STD)
    augment(torch.arange(6), generator=generator()).zero_()
    assert torch.equal(augment.plain(torch.arange(6))[2], torch.from_numpy(normalised(images[2])))


def test_an_empty_batch():
    augment = Augmenter(pictures(), mean=MEAN, std=STD)
    assert augment(torch.tensor([], dtype=torch.long), generator=generator()).shape == (0, 3, 8, 8)


def test_channel_statistics():
    images = pictures(20)
    mean, std = channel_statistics(images)
    assert mean == pytest.approx((images / 255).mean(axis=(0, 1, 2)))
    assert std == pytest.approx((images / 255).std(axis=(0, 1, 2)))


@pytest.mark.parametrize(
    "change",
    [
        {"mean": [0.5]},
        {"std": [0.1, 0.1, 0]},
        {"pad": -1},
        {"max_angle": -1},
        {"images": np.zeros((2, 3, 3), np.uint8)},
        {"images": np.zeros((2, 3, 3, 3), np.float32)},
        {"images": np.zeros((0, 3, 3, 3), np.uint8)},
    ],
)
def test_arguments_are_checked(change):
    with pytest.raises(InputError, match=next(iter(change))):
        Augmenter(**({"images": pictures(), "mean": MEAN, "std": STD} | change))


@pytest.mark.parametrize("images", [pictures(), torch.from_numpy(pictures())])
def test_channels_that_come_first_are_noticed(images):
    first = torch.as_tensor(images).permute(0, 3, 1, 2)
    first = first if isinstance(images, torch.Tensor) else first.numpy()
    with pytest.raises(InputError, match=r"\(6, 3, 8, 8\) look like NCHW; they must be NHWC"):
        Augmenter(first, mean=MEAN, std=STD)
    with pytest.raises(InputError, match="NHWC"):
        channel_statistics(first)


@pytest.mark.parametrize("index", [[6], [-1]])
def test_rows_that_do_not_exist(index):
    augment = Augmenter(pictures(), mean=MEAN, std=STD)
    with pytest.raises(IndexError):
        augment.plain(torch.tensor(index))
    with pytest.raises(IndexError):
        augment(torch.tensor(index), generator=generator())
