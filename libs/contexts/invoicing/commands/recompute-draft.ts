import { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '../invoice.js';

/**
 * Brings a draft up to the usage that there is by now; answers the invoice. Handled by billing, which knows what it charges for. Nothing
 * happens to what is no draft, or charges for no usage.
 */
export class RecomputeDraft extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}
