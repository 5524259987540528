/** The message by which a supervisor lets a process begin that was started with `START_HELD=1`. */
export const BEGIN = 'begin';

/**
 * Resolves when this process may begin: at once, unless its supervisor holds it back. A process is started before the services that it
 * needs, so that it loads its code meanwhile. Then it is told to begin.
 */
export function untilToldToStart(): Promise<void> {
  if (process.env['START_HELD'] !== '1') return Promise.resolve();
  return new Promise((resolve) => {
    // Node keeps messages that were sent before anybody listened.
    const heed = (message: unknown): void => {
      if (message !== BEGIN) return;
      process.off('message', heed);
      resolve();
    };
    process.on('message', heed);
  });
}
