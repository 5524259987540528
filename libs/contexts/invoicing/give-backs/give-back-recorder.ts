import { Injectable } from '@nestjs/common';
import { Conflict } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { newUlid } from '#libs/kernel/system';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { LineNetAmount } from '#libs/rating';
import { taxesToGiveBack } from '../credit-notes/creditable-invoice.js';
import { invoiceDecider } from '../decider.js';
import type { InvoiceCommandOf } from '../decisions/invoice-command.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { withoutGiveBacksOf } from '../creditable-lines.js';
import { sourceInvoiceIds } from './give-back.js';

/**
 * Records on the streams of earlier invoices the amounts that a later invoice gives back. Credit notes and voids of an invoice are in the
 * same stream, so no amount can be given back twice.
 */
@Injectable()
export class GiveBackRecorder {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Records the give-backs of an invoice that is about to be created or recomputed, and replaces the earlier records of that invoice.
   * `before` lists the ids of earlier invoices that may still hold an outdated give-back of this invoice, which is then undone. The call is
   * safe to repeat. A void invoice gives back nothing, and its records are undone. Throws Conflict (`give_back_exceeds_line`) if a
   * give-back exceeds what can still be given back of a line. After this Conflict, the caller must recompute the invoice. If that invoice
   * does not exist yet, the give-backs that were already recorded for it are undone before the Conflict is thrown.
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
    if (sourceIds.length === 0) return;
    if (await this.isVoid(context, invoiceId)) return this.returnFrom(context, invoiceId, sourceIds);
    try {
      for (const sourceId of sourceIds)
        await this.recordOn(context, sourceId, invoiceId, given.get(sourceId));
    } catch (error) {
      if (error instanceof Conflict && error.code === 'give_back_exceeds_line')
        await this.returnUnlessMade(context, invoiceId, sourceIds);
      throw error;
    }
    // If the invoice was voided meanwhile, the void may have missed these new records.
    if (await this.isVoid(context, invoiceId)) await this.returnFrom(context, invoiceId, sourceIds);
  }

  /** Undoes all give-backs of a void invoice. The call is safe to repeat. */
  async undoGiveBacks(
    context: CommandContext,
    { invoiceId, lines }: Pick<Invoice, 'invoiceId' | 'lines'>,
  ): Promise<void> {
    await this.returnFrom(context, invoiceId, sourceInvoiceIds(lines));
  }

  private async recordOn(
    context: CommandContext,
    sourceId: string,
    laterInvoiceId: string,
    given: readonly LineNetAmount[] = [],
  ): Promise<void> {
    const source = await this.invoices.require(context.workspaceId, sourceId);
    const lines = given.map(({ lineId, amount }) => ({ lineId, amount }));
    const taxes = taxesToGiveBack(withoutGiveBacksOf(laterInvoiceId, source), lines);
    await this.run(context, {
      type: 'GiveBackLines',
      invoiceId: sourceId,
      byInvoiceId: laterInvoiceId,
      lines,
      ...(taxes.length > 0 ? { taxes } : {}),
    });
  }

  private async returnUnlessMade(
    context: CommandContext,
    laterInvoiceId: string,
    sourceIds: readonly string[],
  ): Promise<void> {
    if (await this.invoices.find(context.workspaceId, laterInvoiceId)) return;
    await this.returnFrom(context, laterInvoiceId, sourceIds);
  }

  private async returnFrom(
    context: CommandContext,
    laterInvoiceId: string,
    sourceIds: readonly string[],
  ): Promise<void> {
    for (const invoiceId of sourceIds)
      await this.run(context, { type: 'UndoGiveBack', byInvoiceId: laterInvoiceId, invoiceId });
  }

  private async isVoid({ workspaceId }: CommandContext, invoiceId: string): Promise<boolean> {
    return (await this.invoices.find(workspaceId, invoiceId))?.status === 'void';
  }

  /**
   * Runs a command with a new command id each time. Because of the new id, a give-back that was undone can be recorded again. A repeated
   * command changes nothing in the invoice.
   */
  private async run(context: CommandContext, command: GiveBackCommand): Promise<Invoice> {
    const following = followUpContext(context, `${command.type} ${newUlid()}`);
    const id = aggregateId(context.workspaceId, command.invoiceId);
    const timed = { ...command, at: context.now };
    return (await this.aggregates.execute(invoiceDecider, id, following, timed)).state;
  }
}

type GiveBackCommand =
  Omit<InvoiceCommandOf<'GiveBackLines'>, 'at'> | Omit<InvoiceCommandOf<'UndoGiveBack'>, 'at'>;
