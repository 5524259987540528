import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { NotFound } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { EndpointStore } from '../endpoint-store.js';
import { TargetPolicy } from '#libs/kernel/outbound';
import { webhookDecider, type Webhook, type WebhookCommand } from '../webhook.js';

/**
 * Runs any command on an existing webhook endpoint, except the rotation of its secret. The command changes, tests, deletes, enables or
 * disables the endpoint, or ends its previous secret. The command also disables an endpoint that does not answer any more.
 */
export class ChangeWebhook extends Command<Webhook> {
  constructor(
    readonly context: CommandContext,
    readonly change: Exclude<WebhookCommand, { type: 'CreateWebhook' | 'RotateWebhookSecret' }>,
  ) {
    super();
  }
}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly endpoints: EndpointStore,
    private readonly targets: TargetPolicy,
  ) {}

  async execute({ context, change }: ChangeWebhook): Promise<Webhook> {
    const id = aggregateId(context.workspaceId, change.webhookId);
    if (change.type === 'DeleteWebhook') return this.delete(id, context, change);
    if (change.type === 'ChangeWebhook') await this.prepare(context.workspaceId, change);
    const before =
      change.type === 'EndPreviousWebhookSecret' ? await this.aggregates.load(webhookDecider, id) : undefined;
    const { state } = await this.aggregates.execute(webhookDecider, id, context, change);
    if (before) await this.endpoints.deleteEndedSecrets(before, state);
    return state;
  }

  private async delete(
    id: string,
    context: CommandContext,
    change: Extract<WebhookCommand, { type: 'DeleteWebhook' }>,
  ): Promise<Webhook> {
    const deleteData = () => this.endpoints.deleteEndpointData(context.workspaceId, change.webhookId);
    try {
      const { state } = await this.aggregates.execute(webhookDecider, id, context, change);
      await deleteData();
      return state;
    } catch (error) {
      // An earlier deletion may have failed after its event was appended.
      if (error instanceof NotFound && (await this.aggregates.load(webhookDecider, id))?.deleted)
        await deleteData();
      throw error;
    }
  }

  private async prepare(
    workspaceId: string,
    { webhookId, changes }: Extract<WebhookCommand, { type: 'ChangeWebhook' }>,
  ): Promise<void> {
    if (changes.url !== undefined) await this.targets.check(workspaceId, changes.url);
    // This comes before the endpoint is enabled, so that earlier failures cannot disable it.
    if (changes.enabled === true) await this.endpoints.clearFailures(workspaceId, webhookId);
  }
}
