import torch


def load(path):
    weights = torch.load(path)
    with open(path) as f:
        text = f.read()
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "r", encoding="utf-8") as f:
        data = f.read()
    return json.dumps(weights), text, data, pickle.dumps(data), self.save(), save_for_backward(x)
