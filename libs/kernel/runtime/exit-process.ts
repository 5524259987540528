/** The message that a process sends to its parent over the IPC channel right before it exits. */
export const EXITING = 'exiting';

/**
 * Ends this process with an exit code, and first tells the process that started it, which then ends it by force if it hangs. Node's exit
 * can: it waits for a thread that compiles, which waits for this one to collect garbage (https://github.com/nodejs/node/issues/54918). A
 * process that hangs so keeps its connections and its locks. If the parent is gone, nobody would end the process or read its exit code. So
 * it ends itself by force.
 */
export function exitProcess(code: number): never {
  // Written at once, before this returns.
  if (process.connected) process.send?.(EXITING);
  // Undefined in a process that was started without a channel.
  if (process.connected === false) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}
