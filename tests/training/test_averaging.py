import torch
from torch import nn

from pauci.training.averaging import WeightAverage


def test_the_average_follows_weights_and_statistics_and_copies_what_is_counted():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    average, generator = WeightAverage(model, 0.5), torch.Generator().manual_seed(0)
    expected = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for step in range(12):
        decay = min(0.5, (1 + step) / (10 + step))
        for name, tensor in model.state_dict().items():
            if tensor.is_floating_point():
                tensor.copy_(torch.randn(tensor.shape, generator=generator))
                expected[name] = decay * expected[name] + (1 - decay) * tensor
            else:
                expected[name] = tensor.add_(1).clone()
        average.update(step=step)
        torch.testing.assert_close(dict(average.model.state_dict()), expected)
    assert not average.model.training
    assert not any(p.requires_grad for p in average.model.parameters())
