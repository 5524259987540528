import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Customers, mailAddressesOf } from '#libs/contexts/customers';
import { ProvedAdmins, WorkspaceNames } from '#libs/contexts/identity';
import {
  CurrentBillingSettings,
  hostedInvoiceUrl,
  InvoiceLinkTokens,
  type BillingSettings,
  type Invoice,
} from '#libs/contexts/invoicing';
import { SETTINGS } from '#libs/kernel/app';
import { addSeconds, deriveId } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { systemClock, type Settings } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { MailQueue } from '../queue/mail-queue.js';
import type { AttachedDocument, SendConditions } from '../queue/mail.js';
import { renderLetter, type Letter } from '../templates/letter.js';
import type { LetterFrame, InvoiceWithUrl } from './customer-letters.js';

/** Mail to a customer about invoices. */
export interface CustomerMail {
  /**
   * The id of the mail to the main address. Ids of mail to further addresses are derived from it. Mail with an id that is already stored is
   * not stored again.
   */
  mailId: string;
  /** The kind of the mail, such as `receipt`. */
  kind: string;
  /** The id of the resource that the mail is about: an invoice or a dunning process. */
  about: string;
  /** The invoices, at least one. All are of one customer. */
  invoices: readonly Invoice[];
  attachments: readonly AttachedDocument[];
  /** The conditions under which the mail is sent, checked at the moment of sending. */
  conditions: SendConditions;
  /** Makes the letter. */
  makeLetter: (frame: LetterFrame, invoices: InvoiceWithUrl[]) => Letter;
}

/** Mail is useful for 30 days. An operator can send failed mail again during this time, until the mail is removed by its retention. */
const USEFUL_SECONDS = 30 * 86_400;
const UNPROVED_REASON =
  'No admin of the sandbox has proved the e-mail address; send POST /v1/auth/magic-link, and open the link of the mail';
const SANDBOX_REASON =
  'The sandbox does not allow this address; add it to sandboxEmailAllowlist of the billing settings';

/** Puts mail to customers into the queue. */
@Injectable()
export class CustomerMailQueue {
  constructor(
    private readonly pool: Pool,
    private readonly queue: MailQueue,
    private readonly clock: WorkspaceClock,
    private readonly customers: Customers,
    private readonly links: InvoiceLinkTokens,
    private readonly billingSettings: CurrentBillingSettings,
    private readonly workspaces: WorkspaceNames,
    private readonly admins: ProvedAdmins,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Writes mail and puts it into the queue, once for each address of the customer. Does nothing for a customer without an address, or whose
   * data was erased. Mail with the same `mailId` is added only once.
   */
  async add(
    { workspaceId, correlationId, now: writtenAt }: CommandContext,
    mail: CustomerMail,
  ): Promise<void> {
    const { mailId, kind, about, invoices, attachments, conditions, makeLetter: write } = mail;
    const [{ customerId }] = invoices as [Invoice];
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer) return;
    const addresses = mailAddressesOf(customer);
    if (addresses.length === 0) return;
    const [settings, mode, workspaceName, linked] = await Promise.all([
      this.billingSettings.ofWorkspace(workspaceId),
      this.clock.readMode(workspaceId),
      this.workspaces.nameOf(workspaceId),
      this.linked(workspaceId, invoices),
    ]);
    const sellerName = settings.seller?.legalName ?? workspaceName;
    const sandbox = mode === 'sandbox';
    // Otherwise anybody could send mail to strangers, with a sandbox under an address of somebody else.
    const isVouchedFor = !sandbox || (await this.admins.hasAny(workspaceId));
    const frame = {
      sellerName: sellerName ?? workspaceId,
      customerName: customer.name,
      brand: settings,
      isSandbox: sandbox,
    };
    const invoiceIds = invoices.map(({ invoiceId }) => invoiceId);
    const senderName = settings.emailSenderName ?? sellerName;
    const replyTo = settings.emailReplyTo ?? settings.seller?.email ?? null;
    const content = {
      ...renderLetter(write(frame, linked)),
      ...(senderName === null ? {} : { senderName }),
      ...(replyTo === null ? {} : { replyTo }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...conditions,
    };
    const createdAt = systemClock.now();
    const usefulUntil = addSeconds(createdAt, USEFUL_SECONDS);
    const times = { createdAt, writtenAt, usefulUntil };
    const withheldBecause = (address: string): string | undefined => {
      if (!sandbox) return undefined;
      if (!isVouchedFor) return UNPROVED_REASON;
      return isAddressAllowedInSandbox(address, settings) ? undefined : SANDBOX_REASON;
    };
    const mails = addresses.map((address, index) => ({
      id: index === 0 ? mailId : deriveId('mail', mailId, address.toLowerCase()),
      workspaceId,
      kind,
      about,
      customerId,
      invoiceIds,
      ...times,
      content: { to: { name: customer.name, address }, ...content },
      withheldBecause: withheldBecause(address),
    }));
    await inTransaction(this.pool, async (tx) => {
      for (const one of mails) await this.queue.add(tx, one, correlationId);
    });
  }

  private async linked(workspaceId: string, invoices: readonly Invoice[]): Promise<InvoiceWithUrl[]> {
    const ids = invoices.map(({ invoiceId }) => invoiceId);
    const tokens = await this.links.getOrCreateTokens(workspaceId, ids);
    return invoices.map((invoice) => ({
      invoice,
      url: hostedInvoiceUrl(this.settings, tokens.get(invoice.invoiceId)!),
    }));
  }
}

/** Tells whether a sandbox sends mail to an address. An entry that begins with `@` allows all addresses of its domain. */
export function isAddressAllowedInSandbox(
  address: string,
  { sandboxEmailAllowlist }: Pick<BillingSettings, 'sandboxEmailAllowlist'>,
): boolean {
  const lower = address.toLowerCase();
  return sandboxEmailAllowlist.some((entry) => {
    const allowed = entry.toLowerCase();
    return allowed.startsWith('@') ? lower.endsWith(allowed) : lower === allowed;
  });
}
