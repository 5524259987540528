import type { Browser, Page } from 'puppeteer-core';
import { Unavailable } from '#libs/kernel/core';
import { KeyedConcurrencyLimits, CoalescedReads, ConcurrencyLimit, type Logger } from '#libs/kernel/system';

const CONCURRENCY = 2;
/** Of one party. */
const MAX_WAITING = 100;
const TIMEOUT_MILLIS = 20_000;

const tooMany = (): Unavailable =>
  new Unavailable('busy', 'Too many documents are being made at this moment; try again shortly');

/**
 * Prints HTML to PDF in one browser that is kept, and started again when it has died. The HTML is not trusted: no
 * script runs, nothing but `data:` is loaded, and every document has a browser context of its own.
 */
export class PdfRenderer {
  private readonly slots = new ConcurrencyLimit({ count: CONCURRENCY, refusal: tooMany });
  /** Only so many of one party wait for a slot at a time: the next free one is another's who waits. */
  private readonly turns = new KeyedConcurrencyLimits({
    count: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    refusal: tooMany,
  });
  /** Those who want the same at once share it: whoever has the link of an invoice may ask for it, as often as they like. */
  private readonly underWay = new CoalescedReads<Buffer>();
  private browser: Promise<Browser> | undefined;
  private closed = false;

  constructor(
    private readonly launch: () => Promise<Browser>,
    private readonly logger: Logger,
  ) {}

  /**
   * The PDF of a whole HTML document; paper size and margins are its style sheet's. Throws Unavailable (`busy`) when too many of the party
   * wait, (`pdf_unavailable`) when there is no browser.
   *
   * @param party for whom it is printed: parties take turns
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
      // A browser that died under the document is no fault of the document's: a new one gets a try.
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
    const context = await browser.createBrowserContext();
    const watchdog = setTimeout(() => void this.kill(browser), TIMEOUT_MILLIS);
    try {
      const page = await context.newPage();
      await shutIn(page);
      await page.setContent(html, { waitUntil: 'load', timeout: TIMEOUT_MILLIS });
      return Buffer.from(
        await page.pdf({ preferCSSPageSize: true, printBackground: true, timeout: TIMEOUT_MILLIS }),
      );
    } finally {
      clearTimeout(watchdog);
      await context.close().catch(() => undefined);
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

  /** A browser that hangs is ended, which fails what waits for it. */
  private async kill(browser: Browser): Promise<void> {
    this.logger.error('the browser does not answer, ending it');
    browser.process()?.kill('SIGKILL');
    await browser.disconnect();
  }
}

async function shutIn(page: Page): Promise<void> {
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const outcome = request.url().startsWith('data:') ? request.continue() : request.abort('blockedbyclient');
    // The page may be gone by then.
    outcome.catch(() => undefined);
  });
}
