import pytest
import torch

from pauci.errors import InputError
from pauci.models import MLP, ResNet18


@pytest.mark.parametrize(("stem", "side"), [("cifar", 4), ("stride2", 2), ("imagenet", 1)])
def test_stems_decide_the_resolution(stem, side):
    model = ResNet18(stem=stem, width=4)
    images = torch.randn(2, 3, 32, 32).to(memory_format=torch.channels_last)
    assert model.blocks(model.stem(images)).shape == (2, 32, side, side)
    assert model(images).shape == (2,)


def test_resnet_has_the_published_size():
    # torchvision's resnet18 has 11,689,512 parameters with 1,000 outputs; ours has one.
    imagenet = sum(p.numel() for p in ResNet18(stem="imagenet").parameters())
    assert imagenet == 11_689_512 - 999 * 513


def test_resnet_learns_to_tell_two_images_apart():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model, noise = ResNet18(width=4), torch.randn(8, 3, 8, 8)
    labels = torch.arange(8) % 2
    images = noise + labels.view(-1, 1, 1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(images), labels.float())
        loss.backward()
        optimizer.step()
    assert loss < 0.1


def test_unknown_stem():
    with pytest.raises(InputError, match="stem='tiny' is not known; use one of cifar"):
        ResNet18(stem="tiny")


def test_mlp_gives_every_unknown_code_the_same_embedding():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = MLP(2, hidden=(16,), categories={1: 3})
    x = torch.tensor([[1.0, 0.0], [1.0, 2.0], [1.0, 3.0], [1.0, -1.0], [1.0, float("nan")]])
    scores = model(x).detach()
    torch.testing.assert_close(scores[2:4], scores[3:5])
    assert min((scores[0] - scores[1]).abs(), (scores[1] - scores[2]).abs(), (scores[0] - scores[2]).abs()) > 1e-3


def test_mlp_without_hidden_layers_is_linear():
    model = MLP(3, hidden=()).double()
    x = torch.randn(2, 4, 3).double()
    torch.testing.assert_close(model(x[0] + x[1]), model(x[0]) + model(x[1]) - model(torch.zeros_like(x[0])))


def test_mlp_says_what_shape_it_wants():
    with pytest.raises(InputError, match=r"x has shape \(4, 2\), expected \(n, 3\)"):
        MLP(3)(torch.zeros(4, 2))
    with pytest.raises(InputError, match="categories names column 7"):
        MLP(3, categories={7: 2})
