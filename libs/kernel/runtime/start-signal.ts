/** The message with which a supervisor starts a process that was launched with `START_HELD=1`. */
export const BEGIN_MESSAGE = 'begin';

/**
 * Resolves when this process may begin. The process may begin at once, unless it was launched with `START_HELD=1`. A supervisor launches a
 * process before the services that the process needs, so that the process loads its code while the services start. When these services run,
 * the supervisor tells the process to begin.
 */
export function waitForStartSignal(): Promise<void> {
  if (process.env['START_HELD'] !== '1') return Promise.resolve();
  return new Promise((resolve) => {
    // Node keeps messages that were sent before this listener was added.
    const heed = (message: unknown): void => {
      if (message !== BEGIN_MESSAGE) return;
      process.off('message', heed);
      resolve();
    };
    process.on('message', heed);
  });
}
