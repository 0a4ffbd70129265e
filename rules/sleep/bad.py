from time import sleep


async def f():
    time.sleep(1)  # match
    sleep(1)  # match
    await asyncio.sleep(1)  # match
    torch.cuda._sleep(1000)  # match
    input("press enter")  # match
