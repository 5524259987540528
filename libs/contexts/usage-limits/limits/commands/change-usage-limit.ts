import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { LimitRules } from '../../counting/limit-rules.js';
import { usageLimitDecider, type UsageLimit, type UsageLimitCommand } from '../usage-limit.js';

type Change = UsageLimitCommand extends infer One
  ? One extends { type: 'CreateUsageLimit' }
    ? never
    : Omit<One, 'at'>
  : never;

/**
 * Changes or deletes a limit. The change of the limit applies to all later usage. Throws NotFound if the limit is not in the workspace, or
 * was already deleted.
 */
export class ChangeUsageLimit extends Command<UsageLimit> {
  constructor(
    readonly context: CommandContext,
    readonly change: Change,
  ) {
    super();
  }
}

@CommandHandler(ChangeUsageLimit)
export class ChangeUsageLimitHandler implements ICommandHandler<ChangeUsageLimit> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly rules: LimitRules,
  ) {}

  async execute({ context, change }: ChangeUsageLimit): Promise<UsageLimit> {
    const { workspaceId, now: at } = context;
    const id = aggregateId(workspaceId, change.limitId);
    const { state } = await this.aggregates.execute(usageLimitDecider, id, context, { ...change, at });
    await this.rules.putInForce(workspaceId, change.limitId);
    return state;
  }
}
