/**
 * Calls `gone` when the parent process, which started this process with an IPC channel, has ended in any way. `gone` is also called if the
 * parent process ended before this function was called. The parent process can end while this process loads its code for a second or two,
 * and Node reports the end only once.
 */
export function onParentExit(gone: () => void): void {
  process.once('disconnect', gone);
  // In a process that was started without a channel it is undefined, not false.
  if (process.connected === false) gone();
}
