import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { newSigningSecret } from '../delivery/signature.js';
import { EndpointStore } from '../endpoint-store.js';
import type { WebhookDetails } from '../events.js';
import { TargetPolicy } from '#libs/kernel/outbound';
import { webhookDecider, type Webhook } from '../webhook.js';

/** Creates an endpoint with a new signing secret. Only the response to the creation contains the secret. */
export class CreateWebhook extends Command<{ webhook: Webhook; secret: string }> {
  constructor(
    readonly context: CommandContext,
    readonly details: WebhookDetails,
  ) {
    super();
  }
}

@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly endpoints: EndpointStore,
    private readonly targets: TargetPolicy,
  ) {}

  async execute({ context, details }: CreateWebhook): Promise<{ webhook: Webhook; secret: string }> {
    const { workspaceId } = context;
    await this.targets.check(workspaceId, details.url);
    const webhookId = idFor(context, 'wh');
    const secret = await this.endpoints.storeFirstSecret(workspaceId, webhookId, newSigningSecret());
    const command = { type: 'CreateWebhook', at: context.now, webhookId, details } as const;
    const id = aggregateId(workspaceId, webhookId);
    return { webhook: (await this.aggregates.execute(webhookDecider, id, context, command)).state, secret };
  }
}
