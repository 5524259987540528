import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deriveUuid } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { newSigningSecret } from '../delivery/signature.js';
import { EndpointStore } from '../endpoint-store.js';
import { requireSecretRotatable, requireWebhook, webhookDecider, type Webhook } from '../webhook.js';

/**
 * Gives an endpoint a new signing secret. Only the response to the rotation contains the new secret. The old secret also signs for another
 * `overlapSeconds` seconds.
 */
export class RotateSecret extends Command<{ webhook: Webhook; secret: string }> {
  constructor(
    readonly context: CommandContext,
    readonly webhookId: string,
    readonly overlapSeconds: number,
  ) {
    super();
  }
}

@CommandHandler(RotateSecret)
export class RotateSecretHandler implements ICommandHandler<RotateSecret> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly endpoints: EndpointStore,
  ) {}

  async execute({ context, webhookId, overlapSeconds }: RotateSecret): Promise<{
    webhook: Webhook;
    secret: string;
  }> {
    const id = aggregateId(context.workspaceId, webhookId);
    const secretId = deriveUuid(context.commandId, 'secret');
    const at = systemClock.now();
    const present = requireWebhook(webhookId, await this.aggregates.load(webhookDecider, id));
    if (present.secretId !== secretId) requireSecretRotatable(present, at, overlapSeconds);
    // The secret is stored before the event that makes it sign. A secret that no event names signs nothing.
    const secret = await this.endpoints.storeSecret(webhookId, secretId, newSigningSecret());
    const rotation = { type: 'RotateWebhookSecret', at, webhookId, secretId, overlapSeconds } as const;
    const { state } = await this.aggregates.execute(webhookDecider, id, context, rotation);
    await this.endpoints.deleteEndedSecrets(present, state);
    return { webhook: state, secret };
  }
}
