def f(rank):
    path = "/tmp/x.pt"  # match
    path = f"/tmp/embed_{rank}.pt"  # match
    path = '/dev/shm/x'  # match
    path = "/home/me/x.pt"  # match
    path = "~/x.pt"  # match
