import type { FactoryProvider } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { InvalidRequest } from '#libs/kernel/core';
import type { Settings } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { targetProblem, type TargetRules } from './target.js';

/** Decides to which URLs the product may send webhooks and identity-provider requests for each workspace. */
export class TargetPolicy {
  constructor(
    private readonly workspaces: WorkspaceClock,
    /** Tells whether the operator allows sandboxes to send to this machine. */
    private readonly allowLoopback: boolean,
    /** Ports of this machine to which the product never sends a request. */
    private readonly closedPorts: ReadonlySet<number>,
  ) {}

  /** Returns the rules for the URLs of a workspace. */
  async rulesOf(workspaceId: string): Promise<TargetRules> {
    const loopback = this.allowLoopback && (await this.workspaces.readMode(workspaceId)) === 'sandbox';
    return { allowsLoopback: loopback, closedPorts: this.closedPorts };
  }

  /** Throws InvalidRequest for `field` if the product must not send requests to `url` for this workspace. */
  async check(workspaceId: string, url: string, field = 'url'): Promise<void> {
    const objection = targetProblem(url, await this.rulesOf(workspaceId));
    if (objection !== undefined) throw InvalidRequest.field(field, objection);
  }
}

/** Provides the policy for Nest, from the settings of the operator. */
export const targetPolicyProvider: FactoryProvider<TargetPolicy> = {
  provide: TargetPolicy,
  useFactory: (workspaces: WorkspaceClock, { webhookAllowLoopback, webhookClosedPorts = [] }: Settings) =>
    new TargetPolicy(workspaces, webhookAllowLoopback, new Set(webhookClosedPorts)),
  inject: [WorkspaceClock, SETTINGS],
};
