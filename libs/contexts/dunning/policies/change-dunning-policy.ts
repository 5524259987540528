import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { NotFound } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { CurrentDunningPolicy } from './current-dunning-policy.js';
import {
  DEFAULT_POLICY_ID,
  dunningPoliciesDecider,
  type DunningPolicyWithUpdateTime,
} from './dunning-policies.js';
import type { DunningPolicy } from './events.js';

/**
 * Changes the given fields of a dunning policy and keeps the other fields. Throws NotFound if the id is not `default`. Throws
 * InvalidRequest if the steps are not valid.
 */
export class ChangeDunningPolicy extends Command<DunningPolicyWithUpdateTime> {
  constructor(
    readonly context: CommandContext,
    readonly policyId: string,
    readonly changes: Partial<DunningPolicy>,
  ) {
    super();
  }
}

@CommandHandler(ChangeDunningPolicy)
export class ChangeDunningPolicyHandler implements ICommandHandler<ChangeDunningPolicy> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly policy: CurrentDunningPolicy,
  ) {}

  async execute({ context, policyId, changes }: ChangeDunningPolicy): Promise<DunningPolicyWithUpdateTime> {
    if (policyId !== DEFAULT_POLICY_ID) throw NotFound.of('dunning policy', policyId);
    const { workspaceId, now: at } = context;
    const command = { type: 'ChangeDunningPolicy', at, changes } as const;
    await this.aggregates.execute(dunningPoliciesDecider, workspaceId, context, command);
    return this.policy.findWithUpdateTime(workspaceId);
  }
}
