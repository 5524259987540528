import { createLogger, loadSettings, SettingsError, type Logger, type Settings } from '#libs/core';
import { whenParentIsGone } from './parent-process.js';

/** A running service: where it listens (if it does), how it is closed, and when it fails for good. */
export interface RunningService {
  port?: number;
  /** Stops taking work, finishes what is in hand, and lets go of everything. */
  close(): Promise<void>;
  /** Rejects when the service cannot go on; the process then ends with a non-zero exit code. */
  failed?: Promise<never>;
}

const CLOSE_TIMEOUT_MILLIS = 15_000;

/**
 * The frame of every process: reads the settings, starts the service, says on one line of standard output that
 * it is ready (`{"event":"listening",…}`, which a supervisor waits for), and on SIGTERM, SIGINT or the end of
 * its supervisor closes it and exits with 0. What cannot be started or cannot go on is one line and exit 1.
 */
export async function runProcess(
  service: string,
  start: (settings: Settings, logger: Logger) => Promise<RunningService>,
): Promise<void> {
  let settings: Settings;
  try {
    settings = loadSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) return fail(service, error.message);
    throw error;
  }
  const logger = createLogger(service, settings.logLevel);
  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, event);
      process.exit(1);
    });
  let running: RunningService | undefined;
  let closing = false;
  const stop = async (reason: string, code: number): Promise<void> => {
    if (closing) return;
    closing = true;
    logger.info({ reason }, 'shutting down');
    // Also if nothing keeps the process any more while it waits for the end of closing.
    process.exitCode = code;
    setTimeout(() => process.exit(code || 1), CLOSE_TIMEOUT_MILLIS).unref();
    await running?.close().catch((error: unknown) => logger.error({ err: error }, 'could not close cleanly'));
    process.exit(code);
  };
  // Before the start, which takes a while: a supervisor that goes meanwhile would not be missed afterwards.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0));
  if (process.env.SUPERVISED === '1') whenParentIsGone(() => void stop('the supervisor is gone', 0));
  try {
    running = await start(settings, logger);
  } catch (error) {
    logger.fatal({ err: error }, 'could not start');
    return fail(service, `could not start: ${(error as Error).message}`);
  }
  running.failed?.catch((error: unknown) => {
    logger.fatal({ err: error }, 'cannot go on');
    void stop(`cannot go on: ${(error as Error).message}`, 1);
  });
  process.stdout.write(`${JSON.stringify({ event: 'listening', service, port: running.port ?? null })}\n`);
}

function fail(service: string, message: string): never {
  process.stderr.write(`${service}: ${message.split('\n')[0]}\n`);
  process.exit(1);
}
