import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Catalog } from '#libs/contexts/catalog';
import { Customers } from '#libs/contexts/customers';
import { InvalidRequest } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { canHaveLimits } from '../../counting/limit-rule.js';
import { LimitRules } from '../../counting/limit-rules.js';
import type { UsageLimitDetails } from '../events.js';
import { usageLimitDecider, type UsageLimit } from '../usage-limit.js';

/**
 * Creates a limit. The limit applies to all later usage. Usage that is already stored in the window counts toward the limit. Throws
 * NotFound for a metric or customer that is not in the workspace. Throws InvalidRequest for a metric of type `sql`, and for a wrong
 * `warnAt`.
 */
export class CreateUsageLimit extends Command<UsageLimit> {
  constructor(
    readonly context: CommandContext,
    readonly details: UsageLimitDetails,
  ) {
    super();
  }
}

@CommandHandler(CreateUsageLimit)
export class CreateUsageLimitHandler implements ICommandHandler<CreateUsageLimit> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly catalog: Catalog,
    private readonly customers: Customers,
    private readonly rules: LimitRules,
  ) {}

  async execute({ context, details }: CreateUsageLimit): Promise<UsageLimit> {
    const { workspaceId, now: at } = context;
    const { customerId, metricId } = details;
    const limitId = idFor(context, 'lim');
    const id = aggregateId(workspaceId, limitId);
    if (!(await this.aggregates.findRepeated(usageLimitDecider, id, context))) {
      if (customerId !== null) await this.customers.require(workspaceId, customerId);
      await this.requireCountable(workspaceId, metricId);
    }
    const command = { type: 'CreateUsageLimit', at, limitId, details } as const;
    const { state } = await this.aggregates.execute(usageLimitDecider, id, context, command);
    await this.rules.putInForce(workspaceId, limitId);
    return state;
  }

  private async requireCountable(workspaceId: string, metricId: string): Promise<void> {
    await this.catalog.requireMetric(workspaceId, metricId);
    const metric = await this.catalog.metricDefinition(workspaceId, metricId);
    if (!canHaveLimits(metric))
      throw InvalidRequest.field(
        'metricId',
        `must name a metric without SQL, but "${metricId}" is of type sql: what one event adds to it cannot be told`,
      );
  }
}
