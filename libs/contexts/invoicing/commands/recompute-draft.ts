import { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '../invoice.js';

/**
 * Computes a draft invoice again with the current usage, and returns the invoice. `contexts/billing` handles this command. An invoice does
 * not change if it is not a draft, charges no usage, or is progressive.
 */
export class RecomputeDraft extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}
