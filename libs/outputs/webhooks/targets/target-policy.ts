import { InvalidRequest } from '#libs/kernel/core';
import type { WorkspaceClock } from '#libs/kernel/workspaces';
import { targetProblem, type TargetRules } from './target.js';

/** Knows the allowed webhook targets of each workspace. */
export class TargetPolicy {
  constructor(
    private readonly workspaces: WorkspaceClock,
    /** Tells whether the operator allows sandboxes to send to this machine. */
    private readonly allowLoopback: boolean,
    /** Ports of this machine to which no webhook is sent. */
    private readonly closedPorts: ReadonlySet<number>,
  ) {}

  async rulesOf(workspaceId: string): Promise<TargetRules> {
    const loopback = this.allowLoopback && (await this.workspaces.readMode(workspaceId)) === 'sandbox';
    return { loopback, closedPorts: this.closedPorts };
  }

  /** Throws InvalidRequest if `url` cannot be a target of this workspace's webhooks. */
  async check(workspaceId: string, url: string): Promise<void> {
    const objection = targetProblem(url, await this.rulesOf(workspaceId));
    if (objection !== undefined) throw InvalidRequest.field('url', objection);
  }
}
