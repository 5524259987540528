import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { systemClock } from '#libs/kernel/system';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import {
  ChangeWebhook,
  CreateWebhook,
  DEFAULT_EVENTS,
  DeliveryStore,
  EndpointStore,
  MAX_REPLAYED_DELIVERIES,
  presentDelivery,
  presentWebhook,
  Redeliverer,
  RotateSecret,
  type Webhook,
} from '#libs/outputs/webhooks';
import { WebhookQueries } from '#projections/webhooks';
import { CurrentPrincipal, RequiresPermission, UserSessionOnly } from '../http/auth/index.js';
import { Context, readPage, PageQuery, TakesLong } from '../http/index.js';
import {
  CreatedWebhookView,
  CreateWebhookBody,
  DeliveriesQuery,
  DeliveryList,
  DeliveryView,
  ReplayBody,
  ReplayView,
  RotateSecretBody,
  TestWebhookBody,
  UpdateWebhookBody,
  WebhookList,
  WebhookView,
} from './webhook.dto.js';

/**
 * The receiver has eight seconds to answer. The other four seconds of the timeout are for the work before and after the request to the
 * receiver.
 */
const TEST_TIMEOUT_MILLIS = 12_000;

@ApiTags('Webhooks')
@UserSessionOnly()
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly webhooks: WebhookQueries,
    private readonly deliveries: DeliveryStore,
    private readonly redelivery: Redeliverer,
    private readonly endpoints: EndpointStore,
  ) {}

  @Post()
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: 'Create a webhook; only this response has its signing secret',
    description: 'The signing secret begins with `whsec_`. Events that happen from now on are delivered.',
  })
  @ApiCreatedResponse({ type: CreatedWebhookView })
  async create(
    @Context() context: CommandContext,
    @Body() { url, events = [...DEFAULT_EVENTS] }: CreateWebhookBody,
  ): Promise<CreatedWebhookView> {
    const details = { url, events: [...new Set(events)] };
    const { webhook, secret } = await this.commands.execute(new CreateWebhook(context, details));
    return { ...presentWebhook(webhook, new Map(), systemClock.now()), secret };
  }

  @Get()
  @RequiresPermission('webhooks:read')
  @ApiOperation({
    summary: 'List webhooks, oldest first',
    description:
      'Each webhook has its events, and the reason if it is turned off or paused. Signing secrets are not shown.',
  })
  @ApiOkResponse({ type: WebhookList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<WebhookList> {
    const pauses = await this.endpoints.pauseEndsOf(workspaceId);
    const now = systemClock.now();
    return readPage(
      page,
      this.webhooks.listOrder,
      (part) => this.webhooks.list(workspaceId, part),
      ({ shown: { state } }) => presentWebhook(state, pauses, now),
    );
  }

  @Get(':id')
  @RequiresPermission('webhooks:read')
  @ApiOperation({ summary: 'Get a webhook', description: 'The signing secret is not shown.' })
  @ApiOkResponse({ type: WebhookView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<WebhookView> {
    const { state } = await this.webhooks.get(workspaceId, id);
    return this.present(workspaceId, state);
  }

  @Patch(':id')
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: 'Change the given fields of a webhook, or turn it on or off',
    description:
      'A change of `events` applies to later events. A new `url` also gets the later attempts of earlier events. A delivery that becomes ' +
      'due while the webhook is off fails. Failed deliveries can be replayed.',
  })
  @ApiOkResponse({ type: WebhookView })
  async update(
    @Context() context: CommandContext,
    @Param('id') webhookId: string,
    @Body() { events, ...rest }: UpdateWebhookBody,
  ): Promise<WebhookView> {
    const changes = { ...rest, ...(events === undefined ? {} : { events: [...new Set(events)] }) };
    const change = { type: 'ChangeWebhook', webhookId, changes } as const;
    const webhook = await this.commands.execute(new ChangeWebhook(context, change));
    return this.present(context.workspaceId, webhook);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: 'Delete a webhook and its secret; waiting deliveries are dropped',
    description: 'The deletion cannot be undone.',
  })
  @ApiNoContentResponse()
  async delete(@Context() context: CommandContext, @Param('id') webhookId: string): Promise<void> {
    await this.commands.execute(new ChangeWebhook(context, { type: 'DeleteWebhook', webhookId }));
  }

  @Post(':id/secret/rotate')
  @HttpCode(200)
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: 'Rotate the signing secret; only this response has the new secret',
    description:
      'Until `previousSecretUntil`, the previous secret signs deliveries too, so that the receiver can change over without a ' +
      'gap.',
  })
  @ApiOkResponse({ type: CreatedWebhookView })
  @ApiConflictResponse({
    description:
      '`secret_rotation_under_way`: the previous secret still signs deliveries too, and `overlapSeconds` is not 0.',
  })
  async rotateSecret(
    @Context() context: CommandContext,
    @Param('id') webhookId: string,
    @Body() { overlapSeconds }: RotateSecretBody,
  ): Promise<CreatedWebhookView> {
    const rotate = new RotateSecret(context, webhookId, overlapSeconds);
    const { webhook, secret } = await this.commands.execute(rotate);
    return { ...(await this.present(context.workspaceId, webhook)), secret };
  }

  @Delete(':id/secret/previous')
  @HttpCode(204)
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: 'End the previous signing secret, which still signs deliveries after a rotation',
    description: 'Deliveries are signed only with the present secret from now on.',
  })
  @ApiNoContentResponse()
  async endPreviousSecret(@Context() context: CommandContext, @Param('id') webhookId: string): Promise<void> {
    const end = { type: 'EndPreviousWebhookSecret', webhookId } as const;
    await this.commands.execute(new ChangeWebhook(context, end));
  }

  @Post(':id/test')
  @HttpCode(200)
  @TakesLong()
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary:
      'Send one test event, or one example of any event, even to a disabled webhook, and return the result',
    description:
      'If there is no result after 12 seconds, the error is `webhook_not_sent_yet` (503). The test is then sent later and appears in the ' +
      'list of deliveries.',
  })
  @ApiOkResponse({ type: DeliveryView })
  async test(
    @Context() context: CommandContext,
    @Param('id') webhookId: string,
    @Body() { event }: TestWebhookBody,
  ): Promise<DeliveryView> {
    const deliveryId = idFor(context, 'evt');
    const test = { type: 'TestWebhook', webhookId, deliveryId, event } as const;
    await this.commands.execute(new ChangeWebhook(context, test));
    return presentDelivery(await this.deliveries.waitUntilEnded(deliveryId, TEST_TIMEOUT_MILLIS));
  }

  @Get(':id/deliveries')
  @RequiresPermission('webhooks:read')
  @ApiOperation({
    summary: 'List the deliveries to a webhook, newest first, with every attempt',
    description:
      'Each attempt has its time, its duration, the status code and the beginning of the response.',
  })
  @ApiOkResponse({ type: DeliveryList })
  async listDeliveries(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') webhookId: string,
    @Query() query: DeliveriesQuery,
  ): Promise<DeliveryList> {
    await this.webhooks.get(workspaceId, webhookId);
    return readPage(
      query,
      this.deliveries.listOrder,
      (part) => this.deliveries.list(webhookId, query, part),
      presentDelivery,
    );
  }

  @Get(':id/deliveries/:deliveryId')
  @RequiresPermission('webhooks:read')
  @ApiOperation({
    summary: 'Get a delivery with every attempt',
    description:
      'Each attempt has its time, its duration, the status code and the beginning of the response. `payload` is the body that ' +
      'was sent.',
  })
  @ApiOkResponse({ type: DeliveryView })
  async getDelivery(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') webhookId: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<DeliveryView> {
    await this.webhooks.get(workspaceId, webhookId);
    return presentDelivery(await this.deliveries.get(webhookId, deliveryId));
  }

  @Post(':id/deliveries/:deliveryId/retry')
  @HttpCode(202)
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: 'Send a delivery again with the same id, if it has ended or waits for its next attempt',
    description: 'The receiver can drop duplicates by the id. If the webhook is paused, the delivery waits.',
  })
  @ApiAcceptedResponse({
    type: DeliveryView,
    description: 'The delivery is sent now, or as soon as a pause ends.',
  })
  @ApiConflictResponse({
    description:
      '`webhook_disabled`: the webhook is turned off. `delivery_is_test`: a test is sent only once.',
  })
  async retryDelivery(
    @Context() context: CommandContext,
    @Param('id') webhookId: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<DeliveryView> {
    await this.redelivery.retry(context, webhookId, deliveryId);
    return presentDelivery(await this.deliveries.get(webhookId, deliveryId));
  }

  @Post(':id/replay')
  @HttpCode(202)
  @RequiresPermission('webhooks:write')
  @ApiOperation({
    summary: `Send again the failed or the delivered events since a given time, up to ${MAX_REPLAYED_DELIVERIES} deliveries`,
    description:
      'If there are more deliveries, none is sent, and the error is `replay_too_large`. Tests are left out.',
  })
  @ApiAcceptedResponse({ type: ReplayView })
  @ApiConflictResponse({ description: '`webhook_disabled`: the webhook is turned off.' })
  async replay(
    @Context() context: CommandContext,
    @Param('id') webhookId: string,
    @Body() replay: ReplayBody,
  ): Promise<ReplayView> {
    return { deliveries: await this.redelivery.replay(context, webhookId, replay) };
  }

  private async present(workspaceId: string, webhook: Webhook): Promise<WebhookView> {
    return presentWebhook(webhook, await this.endpoints.pauseEndsOf(workspaceId), systemClock.now());
  }
}
