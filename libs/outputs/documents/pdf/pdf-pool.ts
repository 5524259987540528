import { isDeepStrictEqual } from 'node:util';
import { Unavailable } from '#libs/kernel/core';
import { ConcurrencyLimit, KeyedConcurrencyLimits } from '#libs/kernel/system';
import { RecentDocuments } from '../recent-documents.js';

/** The size of all PDFs in memory. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** The number of PDFs for links that are made at a time. The renderer prints one more at a time, so mail and users have a place too. */
const FOR_LINKS = 1;
/** The largest numbers of requests by links that wait: of one link, of one workspace, and of all. */
const MAX_WAITING = { link: 2, workspace: 10, all: 50 };

/** A request for a PDF. */
export interface PdfRequest {
  workspaceId: string;
  invoiceId: string;
  /** The document of the invoice: `invoice`, `receipt`, or the id of a credit note. */
  document: string;
  /** All values that the PDF depends on. */
  madeFrom: readonly unknown[];
  /** True if the link of the invoice is the only credential of the request. */
  viaLink: boolean;
}

const tooMany = (): Unavailable =>
  new Unavailable('busy', 'Too many documents are being made at this moment; try again shortly');

/**
 * Makes PDFs, each once while it is unchanged. Requests by links have a place of their own: everybody with a link can send any number of
 * them. They wait for each other, within limits for each link and workspace, and never for long before a document of a user or of mail.
 */
export class PdfPool {
  private readonly recent = new RecentDocuments<Buffer>(KEPT_BYTES, (pdf) => pdf.length);
  /** The PDF of each name that is being made. Requests for a PDF from equal values share it. */
  private readonly underWay = new Map<string, { madeFrom: readonly unknown[]; pdf: Promise<Buffer> }>();
  private readonly ofLink = new KeyedConcurrencyLimits(queue(1, MAX_WAITING.link));
  private readonly ofWorkspace = new KeyedConcurrencyLimits(queue(1, MAX_WAITING.workspace));
  private readonly ofLinks = new ConcurrencyLimit(queue(FOR_LINKS, MAX_WAITING.all));

  /**
   * Returns the PDF. Calls `make` if the PDF was not made before, or from other values, when it is the turn of the request. Throws
   * Unavailable (`busy`) if too many requests by links wait.
   */
  async get(request: PdfRequest, make: () => Promise<Buffer>): Promise<Buffer> {
    const { workspaceId, invoiceId, document, madeFrom, viaLink } = request;
    const link = `${workspaceId}/${invoiceId}`;
    const name = `${link}/${document}`;
    const known = this.recent.find(name, madeFrom);
    if (known !== undefined) return known;
    const shared = this.underWay.get(name);
    if (shared && isDeepStrictEqual(shared.madeFrom, madeFrom)) return shared.pdf;
    const made = viaLink ? this.inTurn(workspaceId, link, make) : make();
    const entry = { madeFrom, pdf: made };
    this.underWay.set(name, entry);
    try {
      const pdf = await made;
      this.recent.keep(name, madeFrom, pdf);
      return pdf;
    } finally {
      if (this.underWay.get(name) === entry) this.underWay.delete(name);
    }
  }

  private inTurn(workspaceId: string, link: string, make: () => Promise<Buffer>): Promise<Buffer> {
    return this.ofLink.run(link, () => this.ofWorkspace.run(workspaceId, () => this.ofLinks.run(make)));
  }
}

function queue(maxRunning: number, maxWaiting: number) {
  return { maxRunning, maxWaiting, createRefusal: tooMany };
}
