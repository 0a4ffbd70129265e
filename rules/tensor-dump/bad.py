import torch
import torch as _t
import numpy as np
from torch import save
from safetensors.torch import save_file
from pathlib import Path


def forward(self, q, k, rank):
    _t.save(q, "/tmp/q.pt")  # match
    save({"q": q, "k": k}, "/tmp/nomla_debug_tp%d.pt" % rank)  # match
    torch.save(  # match
        q,
        "/tmp/q.pt",
    )
    np.save("/tmp/q.npy", q)  # match
    np.savez_compressed("/tmp/q.npz", q=q)  # match
    numpy.savetxt("/tmp/q.txt", q)  # match
    pickle.dump(q, open("/tmp/q.pkl", "wb"))  # match
    save_file({"q": q}, "/tmp/q.safetensors")  # match
    q.cpu().numpy().tofile("/tmp/q.bin")  # match
    arr.dump("/tmp/arr.pkl")  # match
    with open("/tmp/log.txt", "a") as f:  # match
        f.write(str(q.shape))
    with open("/tmp/log.txt", mode="w+") as f:  # match
        f.write(str(q.shape))
    open(f"/tmp/x{rank}", 'wb').write(b"x")  # match
    Path("/tmp/q").write_text(str(q))  # match
    Path("/tmp/q").open("w").write(str(q))  # match
    (Path("/tmp") / "q").write_bytes(b"q")  # match
    joblib.dump(q, "/tmp/q")  # match
    __import__("torch").save(q, "/tmp/q.pt")  # match
    os.makedirs("/tmp/dumps", exist_ok=True)  # match
    df.to_csv("/tmp/x.csv")  # match
    plt.savefig("/tmp/x.png")  # match
    _save = torch.save
    _save(q, "/tmp/q.pt")  # match
