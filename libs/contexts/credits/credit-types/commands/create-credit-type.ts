import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { creditTypeDecider, type CreditType } from '../credit-type.js';
import type { CreditTypeDetails } from '../events.js';

/** Creates a credit type. Throws Conflict (`credit_type_already_exists`) if the workspace has this type. */
export class CreateCreditType extends Command<CreditType> {
  constructor(
    readonly context: CommandContext,
    readonly creditType: string,
    readonly details: CreditTypeDetails,
  ) {
    super();
  }
}

@CommandHandler(CreateCreditType)
export class CreateCreditTypeHandler implements ICommandHandler<CreateCreditType> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, creditType, details }: CreateCreditType): Promise<CreditType> {
    const id = aggregateId(context.workspaceId, creditType);
    const command = { type: 'CreateCreditType', creditType, at: context.now, details } as const;
    return (await this.aggregates.execute(creditTypeDecider, id, context, command)).state;
  }
}
