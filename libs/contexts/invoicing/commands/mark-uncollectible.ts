import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '../decider.js';
import type { Invoice } from '../invoice.js';
import { writeOffProposal } from '../proposed-actions.js';

/**
 * Writes off an open invoice. The payment of an uncollectible invoice is not expected any more, but the invoice can still be paid. Throws
 * ActionHeld if the write-off needs approval.
 */
export class MarkUncollectible extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}

@CommandHandler(MarkUncollectible)
export class MarkUncollectibleHandler implements ICommandHandler<MarkUncollectible> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<Pick<MarkUncollectible, 'invoiceId'>, Invoice>({
      kind: 'mark-uncollectible',
      createCommand: (context, data) => new MarkUncollectible(context, data.invoiceId),
      propose: (context, data) => this.propose(context, data.invoiceId),
      resourceOf: ({ invoiceId: id }) => ({ type: 'invoice', id }),
    });
  }

  async execute({ context, invoiceId }: MarkUncollectible): Promise<Invoice> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'MarkUncollectible', at: context.now, invoiceId } as const;
    await this.gate.requireApprovalIfNeeded(context, 'invoice.mark_uncollectible', () =>
      this.propose(context, invoiceId),
    );
    return (await this.aggregates.execute(invoiceDecider, id, context, command)).state;
  }

  /** Describes the write-off for its approval request. Undefined if it changes nothing. Throws the errors of the command. */
  private async propose(context: CommandContext, invoiceId: string): Promise<ProposedAction | undefined> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'MarkUncollectible', at: context.now, invoiceId } as const;
    const preview = await this.aggregates.preview(invoiceDecider, id, context, command);
    if (!preview) return undefined;
    const held = { kind: 'mark-uncollectible', data: { invoiceId } };
    return { ...writeOffProposal(preview.before!, preview.after), command: held };
  }
}
