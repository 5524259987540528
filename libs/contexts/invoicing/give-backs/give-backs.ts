import { Injectable } from '@nestjs/common';
import { Conflict } from '#libs/kernel/core';
import { newUlid } from '#libs/kernel/system';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import type { LineNet } from '#libs/rating';
import { taxesToGiveBack } from '../credit-notes/creditable-invoice.js';
import type { InvoiceCommand } from '../decider.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { withoutGiveBackBy } from '../remaining-lines.js';
import { sourcesOf } from './give-back.js';

/**
 * Records what an invoice gives back of earlier ones, on the streams of those. Give-backs, credit notes and voids meet there, so no line is
 * given back twice.
 */
@Injectable()
export class GiveBacks {
  constructor(private readonly invoices: Invoices) {}

  /**
   * Records what the lines of an invoice give back, in place of its earlier record. The invoice is about to be made, or computed again.
   * `before`: other invoices of which it may have recorded something. Safe to repeat: what is the same stays. Conflict
   * (`give_back_exceeds_line`) if less is left of a line by now. Nothing stays recorded then, unless the invoice exists already. The caller
   * computes it again. An invoice that is void gives back nothing.
   */
  async record(
    context: CommandContext,
    { invoiceId, lines }: Pick<Invoice, 'invoiceId' | 'lines'>,
    before: readonly string[] = [],
  ): Promise<void> {
    const given = Map.groupBy(
      lines.flatMap(({ givesBack = [] }) => givesBack),
      (part) => part.invoiceId,
    );
    const sourceIds = [...new Set([...given.keys(), ...before])];
    if (sourceIds.length === 0 || (await this.isVoid(context, invoiceId))) return;
    try {
      for (const sourceId of sourceIds)
        await this.recordOn(context, sourceId, invoiceId, given.get(sourceId));
    } catch (error) {
      if (error instanceof Conflict && error.code === 'give_back_exceeds_line')
        await this.returnUnlessMade(context, invoiceId, sourceIds);
      throw error;
    }
    // Who voided it meanwhile may have looked before this was recorded.
    if (await this.isVoid(context, invoiceId)) await this.returnFrom(context, invoiceId, sourceIds);
  }

  /** Takes back what an invoice that is void gave back of earlier ones. Safe to repeat. */
  async returnAll(
    context: CommandContext,
    { invoiceId, lines }: Pick<Invoice, 'invoiceId' | 'lines'>,
  ): Promise<void> {
    await this.returnFrom(context, invoiceId, sourcesOf(lines));
  }

  private async recordOn(
    context: CommandContext,
    sourceId: string,
    byInvoiceId: string,
    given: readonly LineNet[] = [],
  ): Promise<void> {
    const source = await this.invoices.require(context.workspaceId, sourceId);
    const lines = given.map(({ lineId, amount }) => ({ lineId, amount }));
    const taxes = taxesToGiveBack(withoutGiveBackBy(byInvoiceId, source), lines);
    await this.run(context, {
      ...{ type: 'GiveBackLines', invoiceId: sourceId, byInvoiceId, lines },
      ...(taxes.length > 0 ? { taxes } : {}),
    });
  }

  private async returnUnlessMade(
    context: CommandContext,
    byInvoiceId: string,
    sourceIds: readonly string[],
  ): Promise<void> {
    if (await this.invoices.find(context.workspaceId, byInvoiceId)) return;
    await this.returnFrom(context, byInvoiceId, sourceIds);
  }

  private async returnFrom(
    context: CommandContext,
    byInvoiceId: string,
    sourceIds: readonly string[],
  ): Promise<void> {
    for (const invoiceId of sourceIds)
      await this.run(context, { type: 'ReturnGiveBack', byInvoiceId, invoiceId });
  }

  private async isVoid({ workspaceId }: CommandContext, invoiceId: string): Promise<boolean> {
    return (await this.invoices.find(workspaceId, invoiceId))?.status === 'void';
  }

  /** Under a new command id each time: a repeated decision has no effect anyway, and a returned part may be given back once more. */
  private async run(context: CommandContext, command: GiveBackCommand): Promise<Invoice> {
    const following = follow(context, `${command.type} ${newUlid()}`);
    return (await this.invoices.execute(following, { ...command, at: context.now })).state;
  }
}

type GiveBackCommand =
  | Omit<Extract<InvoiceCommand, { type: 'GiveBackLines' }>, 'at'>
  | Omit<Extract<InvoiceCommand, { type: 'ReturnGiveBack' }>, 'at'>;
