import { Inject, Injectable } from '@nestjs/common';
import { hostedInvoiceUrl, InvoiceLinkTokens } from '#libs/contexts/invoicing';
import { SETTINGS } from '#libs/kernel/app';
import type { Settings } from '#libs/kernel/system';

/** Makes the URLs of the pages on which customers see and pay invoices. */
@Injectable()
export class InvoicePageUrlFinder {
  constructor(
    private readonly links: InvoiceLinkTokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Returns the URL of each invoice's page, by invoice id. An invoice that does not exist has no URL. */
  async pageUrlsOf(workspaceId: string, invoiceIds: readonly string[]): Promise<Map<string, string>> {
    const tokens = await this.links.getOrCreateTokens(workspaceId, invoiceIds);
    return new Map([...tokens].map(([id, token]) => [id, hostedInvoiceUrl(this.settings, token)]));
  }
}
