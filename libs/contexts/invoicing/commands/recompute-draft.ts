import { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '../invoice.js';

/**
 * Computes a draft again with the present usage, and returns the invoice. `contexts/billing` handles this command. An invoice that is not a
 * draft, or that charges no usage, does not change.
 */
export class RecomputeDraft extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}
