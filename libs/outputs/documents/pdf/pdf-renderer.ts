import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { Unavailable } from '#libs/kernel/core';
import { KeyedConcurrencyLimits, CoalescedReads, ConcurrencyLimit, type Logger } from '#libs/kernel/system';

const CONCURRENCY = 2;
/** The largest number of requests of one party, such as a workspace, that wait to be printed. */
const MAX_WAITING = 100;
const TIMEOUT_MILLIS = 20_000;

const tooMany = (): Unavailable =>
  new Unavailable('busy', 'Too many documents are being made at this moment; try again shortly');

/**
 * Prints HTML to PDF in one browser, which stays open and is started again if it crashes. The HTML is not trusted: no script runs, only
 * `data:` is loaded, and every document has its own browser context.
 */
export class PdfRenderer {
  private readonly slots = new ConcurrencyLimit({ maxRunning: CONCURRENCY, createRefusal: tooMany });
  /**
   * Limits how many requests of one party, such as a workspace, are printed or wait. One party therefore cannot delay the others for long.
   */
  private readonly turns = new KeyedConcurrencyLimits({
    maxRunning: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    createRefusal: tooMany,
  });
  /**
   * Simultaneous requests for the same document share one PDF, because anybody with the link of an invoice may request the PDF any number
   * of times.
   */
  private readonly underWay = new CoalescedReads<Buffer>();
  private browser: Promise<Browser> | undefined;
  private closed = false;

  constructor(
    private readonly launch: () => Promise<Browser>,
    private readonly logger: Logger,
  ) {}

  /**
   * Prints a whole HTML document to PDF. The style sheet of the HTML document sets paper size and margins. Throws Unavailable: `busy` when
   * too many requests of the party wait, `pdf_unavailable` when there is no browser or printing has failed twice.
   *
   * @param party the party that requests the document; parties take turns
   */
  async render(html: string, party: string): Promise<Buffer> {
    return this.underWay.read(html, () =>
      this.turns.run(party, () => this.slots.run(() => this.print(html))),
    );
  }

  private async print(html: string): Promise<Buffer> {
    try {
      return await this.attempt(html);
    } catch (error) {
      // If the browser died, the document is possibly not the cause. So it gets one try in a new browser.
      this.logger.warn({ err: error }, 'printing a document failed, trying again');
      return await this.attempt(html).catch((again: unknown) => {
        this.logger.error({ err: again }, 'printing a document failed');
        throw new Unavailable('pdf_unavailable', 'The PDF cannot be made at this moment; try again later');
      });
    }
  }

  /** Closes the browser. Documents that are being printed fail. */
  async close(): Promise<void> {
    this.closed = true;
    await (await this.browser?.catch(() => undefined))?.close();
  }

  private async attempt(html: string): Promise<Buffer> {
    const browser = await this.running();
    // A browser can hang before the first answer and after the last one.
    const watchdog = setTimeout(() => this.kill(browser), TIMEOUT_MILLIS);
    let context: BrowserContext | undefined;
    try {
      context = await browser.createBrowserContext();
      const page = await context.newPage();
      await shutIn(page);
      await page.setContent(html, { waitUntil: 'load', timeout: TIMEOUT_MILLIS });
      return Buffer.from(
        await page.pdf({ preferCSSPageSize: true, printBackground: true, timeout: TIMEOUT_MILLIS }),
      );
    } finally {
      await context?.close().catch(() => undefined);
      clearTimeout(watchdog);
    }
  }

  private async running(): Promise<Browser> {
    if (this.closed) throw new Error('The renderer is closed');
    this.browser ??= this.start();
    return this.browser;
  }

  private async start(): Promise<Browser> {
    try {
      const browser = await this.launch();
      browser.once('disconnected', () => (this.browser = undefined));
      return browser;
    } catch (error) {
      this.browser = undefined;
      throw error;
    }
  }

  /** Ends a browser that hangs. All documents that this browser is printing fail, and each gets at most one try in a new browser. */
  private kill(browser: Browser): void {
    this.logger.error('the browser does not answer, ending it');
    // The pipe to the browser breaks then. If it were closed here, nobody would listen to the error of the broken pipe.
    browser.process()?.kill('SIGKILL');
  }
}

async function shutIn(page: Page): Promise<void> {
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const outcome = request.url().startsWith('data:') ? request.continue() : request.abort('blockedbyclient');
    // The page may already be gone.
    outcome.catch(() => undefined);
  });
}
