def forward(self, q):
    a = q.cpu()  # match
    b = q.detach().float().cpu().numpy()  # match
    c = q.max().item()  # match
    d = q.tolist()  # match
    torch.cuda.synchronize()  # match
    torch.cuda.current_stream().synchronize()  # match
    e = q.to("cpu")  # match
    torch.distributed.barrier()  # match
