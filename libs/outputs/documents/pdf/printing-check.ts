import { CheckFailed } from '#libs/kernel/runtime';
import { monotonicSeconds, type Logger } from '#libs/kernel/system';

/** How long a failed start of the browser counts, before another start is tried. */
const RETRY_SECONDS = 30;

/** The last start of a browser. */
interface Start {
  since: number;
  /** `undefined` while the browser is starting. */
  succeeded: boolean | undefined;
  ended: Promise<unknown>;
}

/** Tells whether this process can print documents: the last browser could be started. */
export class PrintingCheck {
  private last: Start | undefined;
  private isFailing = false;

  /**
   * @param tryOut starts a browser and ends it. It is called only if the last start failed or if no browser was started yet.
   */
  constructor(
    private readonly tryOut: () => Promise<void>,
    private readonly logger: Logger,
  ) {}

  /** Resolves if documents can be printed. Throws CheckFailed if no browser can be started. */
  async check(): Promise<void> {
    const { last } = this;
    const isOld = last?.succeeded === false && monotonicSeconds() - last.since > RETRY_SECONDS;
    if (!last || isOld) await this.watch(this.tryOut()).catch(() => undefined);
    else await last.ended;
    if (this.last?.succeeded === false) throw new CheckFailed('Chromium cannot be started; the log says why');
  }

  /** Remembers whether a browser starts. Returns the browser, or throws the error of its start. */
  async watch<Browser>(starting: Promise<Browser>): Promise<Browser> {
    const start: Start = {
      since: monotonicSeconds(),
      succeeded: undefined,
      ended: starting.catch(() => undefined),
    };
    this.last = start;
    try {
      const browser = await starting;
      start.succeeded = true;
      if (this.isFailing) this.logger.info('Chromium starts again, and documents are printed');
      this.isFailing = false;
      return browser;
    } catch (error) {
      start.succeeded = false;
      if (!this.isFailing)
        this.logger.error({ err: error }, 'Chromium cannot be started, so no document is printed');
      this.isFailing = true;
      throw error;
    }
  }
}
