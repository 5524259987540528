/** The message that a process sends to its parent over the IPC channel right before it exits. */
export const EXITING = 'exiting';

/**
 * Ends this process with an exit code. First it notifies the process that started it, which then ends it by force if it hangs. Node can
 * hang on exit, because it waits for a thread that compiles, while that thread waits for this one to collect garbage
 * (https://github.com/nodejs/node/issues/54918). Such a process keeps its connections and its locks. If the parent is gone, nobody would
 * end this process or read its exit code, so it kills itself.
 */
export function exitProcess(code: number): never {
  // The message is written before this returns.
  if (process.connected) process.send?.(EXITING);
  // `process.connected` is undefined in a process that was started without a channel.
  if (process.connected === false) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}
