import hashlib
import subprocess
import sys

import numpy as np
import pytest

from pauci.data import TASKS, load_task
from pauci.data.datasets import DATASETS
from pauci.data.tasks import count_task
from pauci.errors import InputError

#: Training images and positives of the paper's table; sizes of the three parts.
PUBLISHED = {
    ("cifar10-lt-1", "clean"): ((10415, 2233, 2236), 1508),
    ("cifar10-lt-2", "clean"): ((10415, 2233, 2236), 2517),
    ("cifar10-lt-3", "clean"): ((10415, 2233, 2236), 904),
    ("cifar100-lt-1", "paper"): ((15146, 3254, 3294), 1928),
    ("cifar100-lt-2", "paper"): ((15146, 3254, 3294), 885),
    ("cifar100-lt-3", "paper"): ((15146, 3254, 3294), 1172),
    ("tiny-imagenet-1", "clean"): ((70000, 15000, 15000), 2100),
    ("tiny-imagenet-2", "clean"): ((70000, 15000, 15000), 1400),
    ("tiny-imagenet-3", "clean"): ((70000, 15000, 15000), 4200),
}
#: The variants that hold no image twice have no published counts.
CLEAN = {
    ("cifar100-lt-1", "clean"): ((9037, 1948, 1993), 1155),
    ("cifar100-lt-2", "clean"): ((9037, 1948, 1993), 530),
    ("cifar100-lt-3", "clean"): ((9037, 1948, 1993), 700),
}


@pytest.mark.parametrize(("task", "expected"), [*PUBLISHED.items(), *CLEAN.items()])
def test_official_counts(task, expected):
    name, variant = task
    counts = count_task(name, variant=variant)
    assert (tuple(images for images, _ in counts.values()), counts["train"][1]) == expected


def test_nine_tasks_and_their_names():
    assert list(TASKS) == [f"{data}-{n}" for data in ("cifar10-lt", "cifar100-lt", "tiny-imagenet") for n in (1, 2, 3)]
    with pytest.raises(InputError, match="cifar10-lt-9"):
        load_task("cifar10-lt-9")
    with pytest.raises(InputError, match="variant='dirty'"):
        load_task("cifar10-lt-1", variant="dirty")


def test_parts_are_slices_of_the_mapped_file(cifar10_archive):
    task = load_task("cifar10-lt-1", root=cifar10_archive.parent)
    assert task.name == "cifar10-lt-1"
    for split in (task.train, task.val, task.test):
        assert isinstance(split.x, np.memmap)
        assert split.x.shape == (len(split), 32, 32, 3)
        assert split.x.dtype == split.y.dtype == np.uint8
        assert set(split.y) == {0, 1}
    assert not task.train.x.flags.writeable


def test_variant_paper_is_the_same_where_nothing_was_doubled(cifar10_archive):
    clean, paper = (load_task("cifar10-lt-2", root=cifar10_archive.parent, variant=v) for v in ("clean", "paper"))
    assert np.array_equal(clean.train.x, paper.train.x)
    assert np.array_equal(clean.test.y, paper.test.y)


def test_labels_belong_to_their_images(cifar100_archive):
    root = cifar100_archive.parent
    for variant in ("clean", "paper"):
        one, two = (load_task(f"cifar100-lt-{n}", root=root, variant=variant) for n in (1, 2))
        assert np.array_equal(one.train.x, two.train.x)
        assert not np.any(one.train.y & two.train.y)  # their positives are different classes
        pictures = {image.tobytes(): label for image, label in zip(one.train.x, one.train.y, strict=True)}
        assert all(pictures.get(i.tobytes(), y) == y for i, y in zip(one.test.x, one.test.y, strict=True))


def test_loading_does_not_import_torch(cifar10_archive):
    load_task("cifar10-lt-1", root=cifar10_archive.parent)
    code = """if True:
        import sys
        from pauci.data import load_task
        load_task("cifar10-lt-1", root=sys.argv[1])
        assert "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code, cifar10_archive.parent], check=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "train", "test", "label_bytes"),
    [
        ("cifar10-lt", [f"cifar-10-batches-bin/data_batch_{n}.bin" for n in range(1, 6)], "test_batch.bin", 1),
        ("cifar100-lt", ["cifar-100-binary/train.bin"], "test.bin", 2),
    ],
)
def test_counts_of_a_full_size_archive(dataset, train, test, label_bytes, tmp_path, write_tar, make_official):
    classes = DATASETS[dataset].official_sizes[0]
    members = {}
    for name, count in [
        *((name, 50_000 // len(train)) for name in train),
        (f"{train[0].split('/')[0]}/{test}", 10_000),
    ]:
        records = np.zeros((count, label_bytes + 3072), dtype=np.uint8)
        records[:, label_bytes - 1] = np.arange(count) % classes
        members[name] = records.tobytes()
    path = write_tar(tmp_path / "full" / DATASETS[dataset].archive.name, members)
    make_official(dataset, path)
    for (name, variant), expected in (PUBLISHED | CLEAN).items():
        if name.startswith(dataset):
            task = load_task(name, root=path.parent, variant=variant)
            assert (tuple(map(len, (task.train, task.val, task.test))), task.train.y.sum()) == expected


def digest(split):
    return hashlib.sha256(split.x.tobytes() + split.y.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", [name for name in TASKS if name.startswith("cifar")])
def test_real_cifar_counts(name, real_data):
    for variant in ("clean", "paper"):
        expected = (PUBLISHED | CLEAN).get((name, variant)) or PUBLISHED[name, "clean"]
        task = load_task(name, root=real_data, variant=variant)
        sizes = tuple(map(len, (task.train, task.val, task.test)))
        assert (sizes, task.train.y.sum()) == expected


def test_real_cifar_pixels(real_data):
    ten, hundred = load_task("cifar10-lt-1", root=real_data), load_task("cifar100-lt-1", root=real_data)
    assert [digest(ten.train), digest(ten.test)] == ["f2571d86f8a3ed9e", "146e69034528b9bb"]
    assert [digest(hundred.train), digest(hundred.test)] == ["b1a9dca37275e95d", "530517ca2b53b24a"]


def test_real_cifar100_leaks_in_the_variant_paper_only(real_data):
    shares = {}
    for variant in ("clean", "paper"):
        task = load_task("cifar100-lt-1", root=real_data, variant=variant)
        seen = {image.tobytes() for image in task.train.x}
        shares[variant] = np.mean([image.tobytes() in seen for image in task.test.x])
    assert shares["clean"] < 0.001  # CIFAR-100 itself holds a few images twice
    assert shares["paper"] == pytest.approx(0.71, abs=0.03)


@pytest.mark.slow
def test_real_tiny_imagenet(real_data):
    tasks = [load_task(f"tiny-imagenet-{n}", root=real_data) for n in (1, 2, 3)]
    per_class = (len(tasks[0].train) + len(tasks[0].val) + len(tasks[0].test)) // 200
    sizes = int(0.7 * per_class), round(0.15 * per_class)
    for task, classes in zip(tasks, (6, 4, 12), strict=True):
        assert (len(task.train), len(task.val)) == (200 * sizes[0], 200 * sizes[1])
        assert (task.train.y.sum(), task.val.y.sum()) == (classes * sizes[0], classes * sizes[1])
    if per_class == 150:
        # Means rather than bytes: JPEG decoders may differ in the last bit.
        assert tasks[0].train.x.mean(axis=(0, 1, 2)) == pytest.approx([122.62, 114.34, 101.33], abs=0.05)
