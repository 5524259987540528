import {
  createLogger,
  loadSettings,
  SettingsError,
  sleep,
  type Logger,
  type Settings,
} from '#libs/kernel/system';
import { startTracing } from '#libs/kernel/telemetry';
import { unavailableReport, type ReadyReport } from './checks.js';
import { exitProcess } from './exit-process.js';
import { logListening } from './log-listening.js';
import { waitForStartSignal } from './start-signal.js';
import { startOpsServer, type OpsServer } from './ops-server.js';
import { onParentExit } from './parent-process.js';

/** A running service, with its port (if it has one), the functions that end it, and its permanent failure. */
export interface RunningService {
  port?: number;
  /** Reports whether the service can do its work now. A service without a `ready` function is ready as soon as it runs. */
  ready?(): Promise<ReadyReport>;
  /**
   * For a service that receives requests, this function is called when the process receives a signal to stop. After `drain`, the service
   * reports that it is not ready, and continues to serve until it is closed, DRAIN_MS later.
   */
  drain?(): void;
  /** Accepts no new work, finishes the work in progress, and releases all resources. */
  close(): Promise<void>;
  /** Rejects when the service cannot continue. The process then ends with a non-zero exit code. */
  failed?: Promise<never>;
}

const CLOSE_TIMEOUT_MILLIS = 15_000;

/**
 * Runs a process of Countinghouse from its start to its end. Reads the settings and starts the service. When the service is ready, logs
 * one entry for its supervisor, with `"event":"listening"`. On SIGTERM, SIGINT or the end of its supervisor, the process closes the service
 * and exits with 0. If the service cannot start or continue, the process logs why, as its last entry, and exits with 1.
 * Everything that the process writes is an entry of the log, also a warning of Node.
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
  logWarningsOfNode(logger);
  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, event);
      exitProcess(1);
    });
  const frame = new Frame(service, settings, logger);
  // This comes before the start, which takes a while. Otherwise a supervisor that ends meanwhile would not be noticed.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void frame.stop(signal, { drains: true }));
  if (process.env.SUPERVISED === '1') onParentExit(() => void frame.stop('the supervisor is gone'));
  try {
    await frame.start(() => start(settings, logger));
  } catch (error) {
    return fail(service, 'could not start', error);
  }
  const { port = null, opsPort } = frame;
  logListening(service, { port, opsPort });
}

/** The lifetime of one process, from its start to its end. */
class Frame {
  private running: RunningService | undefined;
  private ops: OpsServer | undefined;
  private stopping = false;
  private readonly drained = new AbortController();

  private stopTracing: (() => Promise<void>) | undefined;

  constructor(
    private readonly service: string,
    private readonly settings: Settings,
    private readonly logger: Logger,
  ) {}

  get port(): number | undefined {
    return this.running?.port;
  }

  get opsPort(): number | undefined {
    return this.ops?.port;
  }

  async start(start: () => Promise<RunningService>): Promise<void> {
    this.stopTracing = await startTracing(this.service, process.env, this.logger);
    this.ops = await this.startOps();
    await waitForStartSignal();
    this.running = await start();
    this.running.failed?.catch((error: unknown) => {
      this.logger.fatal({ err: error }, 'cannot continue');
      void this.stop(`cannot continue: ${(error as Error).message}`, { code: 1 });
    });
  }

  /**
   * A service must work even when its port for operators cannot be opened. An operators' port that is already in use is only logged as an
   * error.
   */
  private async startOps(): Promise<OpsServer | undefined> {
    const { opsPort: port, opsHost: host } = this.settings;
    if (port === undefined) return undefined;
    try {
      return await startOpsServer({ host, port, checkReady: () => this.ready() });
    } catch (error) {
      this.logger.error(
        { err: error },
        `the port for operators cannot be used: ${(error as Error).message}; check OPS_PORT`,
      );
      return undefined;
    }
  }

  /** Ends the process. A second call ends the wait after `drain`, so that the service closes at once. */
  async stop(reason: string, { code = 0, drains = false } = {}): Promise<void> {
    if (this.stopping) return this.drained.abort();
    this.stopping = true;
    this.logger.info({ reason }, 'shutting down');
    if (drains) await this.drain();
    // The exit code is set in case nothing else keeps the process alive while it waits for closing.
    process.exitCode = code;
    setTimeout(() => exitProcess(code || 1), CLOSE_TIMEOUT_MILLIS).unref();
    try {
      await this.running?.close();
      await this.stopTracing?.();
      await this.ops?.close();
    } catch (error) {
      this.logger.error({ err: error }, 'could not close cleanly');
    }
    exitProcess(code);
  }

  /**
   * Before the service closes, clients must learn that it accepts no more requests. Without this delay, some requests would be sent to a
   * closed server.
   */
  private async drain(): Promise<void> {
    if (!this.running?.drain) return;
    this.running.drain();
    await sleep(this.settings.drainMillis, this.drained.signal);
  }

  private async ready(): Promise<ReadyReport> {
    if (this.stopping) return unavailableReport('shutting down');
    if (!this.running) return unavailableReport('starting');
    return (await this.running.ready?.()) ?? { ready: true, checks: {} };
  }
}

/** Logs why the process ends, whatever level is logged, and ends it. */
function fail(service: string, message: string, error?: unknown): never {
  createLogger(service, 'fatal').fatal(error === undefined ? {} : { err: error }, message);
  exitProcess(1);
}

function logWarningsOfNode(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ err: warning }, 'Node warns'));
}
