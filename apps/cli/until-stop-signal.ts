/** What tells a command to end; the channel to whoever started it closes when that one was killed. */
const ENDINGS = ['SIGINT', 'SIGTERM', 'disconnect'] as const;

/** Does work whose signal is aborted when the process is told to end. */
export async function untilStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const told = new AbortController();
  const tell = (): void => told.abort();
  for (const ending of ENDINGS) process.on(ending, tell);
  try {
    return await work(told.signal);
  } finally {
    for (const ending of ENDINGS) process.off(ending, tell);
  }
}
