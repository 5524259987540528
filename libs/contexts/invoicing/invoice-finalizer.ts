import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Balances } from '#libs/contexts/balances';
import { Decimal, moneyString, type DecimalString } from '#libs/kernel/core';
import { appliedBalance } from '#libs/rating';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceNames } from '#libs/contexts/identity';
import { RecomputeDraft } from './commands/recompute-draft.js';
import type { InvoiceOpening } from './events.js';
import type { Invoice } from './invoice.js';
import { isZeroAmount } from './invoice.js';
import { InvoiceNumbers } from './document-number-sequences.js';
import { Invoices } from './invoices.js';
import { formatDocumentNumber } from './settings/document-number.js';

/** Prepares the opening of a draft. Recomputes the draft, reserves its number, reads the seller's name, and uses the customer's balance. */
@Injectable()
export class InvoiceFinalizer {
  constructor(
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
    private readonly workspaces: WorkspaceNames,
    private readonly balances: Balances,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Prepares the data for the opening of a draft, and calls `open` with the data. `check` can refuse the opening before a number is
   * reserved and before the balance is used. If `open` is refused because the draft was voided meanwhile, the draft's number is released,
   * so that the sequence has no gap. If `open` is refused because the draft was voided, the amount from the customer's balance is returned.
   */
  async finalize<T>(
    context: CommandContext,
    found: Invoice,
    open: (opening: InvoiceOpening, draft: Invoice) => Promise<T>,
    check?: (draft: Invoice) => Promise<unknown>,
  ): Promise<T> {
    const { workspaceId, now: issuedAt } = context;
    const { invoiceId } = found;
    const draft = await this.recomputeIfOutdated(context, found);
    await check?.(draft);
    const place = await this.numbers.reserve(workspaceId, invoiceId);
    const { invoiceNumberPrefix: prefix, invoiceNumberFormat: format } = draft.settings;
    try {
      const number = formatDocumentNumber(place, { prefix, format, issuedAt });
      const sellerName = await this.workspaces.nameOf(workspaceId);
      const balance = await this.balanceFor(context, draft);
      return await open({ number, sellerName, ...balance }, draft);
    } catch (error) {
      await this.releaseUnusedNumber(workspaceId, invoiceId);
      await this.returnUnusedBalance(context, invoiceId);
      throw error;
    }
  }

  /**
   * Recomputes a draft with the current usage. A draft that its settings open immediately is not recomputed, because it was computed a
   * moment ago.
   */
  async recomputeIfOutdated(context: CommandContext, draft: Invoice): Promise<Invoice> {
    const { gracePeriodHours, autoApprove } = draft.settings;
    if (gracePeriodHours === 0 && autoApprove) return draft;
    const recomputing = followUpContext(context, `recompute ${draft.invoiceId}`);
    return this.commands.execute(new RecomputeDraft(recomputing, draft.invoiceId));
  }

  /** The part of the draft's total that the customer's current balance would leave to pay. */
  async amountAfterBalance(workspaceId: string, draft: Invoice): Promise<DecimalString> {
    const available = await this.balances.amountAvailableForInvoice(workspaceId, draft);
    const { total, currency } = draft;
    return moneyString(new Decimal(total).minus(appliedBalance(available, total)), currency);
  }

  private async balanceFor(
    context: CommandContext,
    draft: Invoice,
  ): Promise<Pick<InvoiceOpening, 'balance'>> {
    const balance = await this.balances.applyToInvoice(context, draft, draft.total);
    return isZeroAmount(balance) ? {} : { balance };
  }

  /**
   * Returns to the balance the amount that was reserved for an invoice and not used. A draft keeps the reserved amount, because it can
   * still be opened.
   */
  async returnUnusedBalance(context: CommandContext, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.find(context.workspaceId, invoiceId);
    if (!invoice || invoice.status === 'draft') return;
    await this.balances.returnUnusedAmount(
      context,
      invoice,
      invoice.status === 'void' ? '0' : invoice.balanceApplied,
    );
  }

  /** Releases the number of a draft that was voided. Does nothing for an invoice that is not a voided draft. */
  async releaseUnusedNumber(workspaceId: string, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.find(workspaceId, invoiceId);
    if (invoice?.status === 'void' && invoice.number === null)
      await this.numbers.release(workspaceId, invoiceId);
  }
}
