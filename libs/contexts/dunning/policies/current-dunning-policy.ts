import { Injectable } from '@nestjs/common';
import { workspaceDecider } from '#libs/contexts/identity';
import { AggregateStore } from '#libs/kernel/event-store';
import {
  dunningPoliciesDecider,
  DEFAULT_DUNNING_POLICY,
  type DunningPolicyWithUpdateTime,
} from './dunning-policies.js';
import type { DunningPolicy } from './events.js';

/** Reads the dunning policy of workspaces from their streams. */
@Injectable()
export class CurrentDunningPolicy {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The policy at present. */
  async ofWorkspace(workspaceId: string): Promise<DunningPolicy> {
    return (await this.aggregates.load(dunningPoliciesDecider, workspaceId)) ?? DEFAULT_DUNNING_POLICY;
  }

  /**
   * The policy with the time of its last change. If the policy was never changed, `updatedAt` is the time when the workspace was created.
   */
  async findWithUpdateTime(workspaceId: string): Promise<DunningPolicyWithUpdateTime> {
    const changed = await this.aggregates.load(dunningPoliciesDecider, workspaceId);
    if (changed) return changed;
    const workspace = await this.aggregates.load(workspaceDecider, workspaceId);
    return { ...DEFAULT_DUNNING_POLICY, updatedAt: workspace!.at };
  }
}
