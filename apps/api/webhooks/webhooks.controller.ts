import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { idFor, type CommandContext } from '#libs/event-store';
import type { Principal } from '#libs/identity';
import {
  ChangeWebhook,
  CreateWebhook,
  DEFAULT_EVENTS,
  DeliveryStore,
  Endpoints,
  presentDelivery,
  presentWebhook,
} from '#libs/webhooks';
import { WebhookQueries } from '#projections/webhooks';
import { CurrentPrincipal, Requires, UserSessionOnly } from '../http/auth/index.js';
import { Context, listOf, PageQuery } from '../http/index.js';
import {
  CreatedWebhookView,
  CreateWebhookBody,
  DeliveriesQuery,
  DeliveryList,
  DeliveryView,
  UpdateWebhookBody,
  WebhookList,
  WebhookView,
} from './webhook.dto.js';

/** The receiver has eight seconds to answer; the rest is for the way there. */
const TEST_TIMEOUT_MILLIS = 12_000;

@ApiTags('Webhooks')
@UserSessionOnly()
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly webhooks: WebhookQueries,
    private readonly deliveries: DeliveryStore,
    private readonly endpoints: Endpoints,
  ) {}

  @Post()
  @Requires('webhooks:write')
  @ApiOperation({ summary: 'Create a webhook; the answer alone has its signing secret' })
  @ApiCreatedResponse({ type: CreatedWebhookView })
  async create(
    @Context() context: CommandContext,
    @Body() { url, events = [...DEFAULT_EVENTS] }: CreateWebhookBody,
  ) {
    const details = { url, events: [...new Set(events)] };
    const { webhook, secret } = await this.commands.execute(new CreateWebhook(context, details));
    return { ...presentWebhook(webhook, new Map()), secret };
  }

  @Get()
  @Requires('webhooks:read')
  @ApiOperation({ summary: 'List webhooks, oldest first' })
  @ApiOkResponse({ type: WebhookList })
  async list(@CurrentPrincipal() { accountId }: Principal, @Query() page: PageQuery) {
    const pauses = await this.endpoints.pausesOf(accountId);
    return listOf(await this.webhooks.list(accountId, page), ({ state }) => presentWebhook(state, pauses));
  }

  @Get(':id')
  @Requires('webhooks:read')
  @ApiOperation({ summary: 'Get a webhook' })
  @ApiOkResponse({ type: WebhookView })
  async get(@CurrentPrincipal() { accountId }: Principal, @Param('id') id: string) {
    const { state } = await this.webhooks.get(accountId, id);
    return presentWebhook(state, await this.endpoints.pausesOf(accountId));
  }

  @Patch(':id')
  @Requires('webhooks:write')
  @ApiOperation({ summary: 'Change a webhook, or turn it on or off: only the fields given' })
  @ApiOkResponse({ type: WebhookView })
  async update(
    @Context() context: CommandContext,
    @Param('id') webhookId: string,
    @Body() { events, ...rest }: UpdateWebhookBody,
  ) {
    const changes = { ...rest, ...(events === undefined ? {} : { events: [...new Set(events)] }) };
    const change = { type: 'ChangeWebhook', webhookId, changes } as const;
    const webhook = await this.commands.execute(new ChangeWebhook(context, change));
    return presentWebhook(webhook, await this.endpoints.pausesOf(context.accountId));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('webhooks:write')
  @ApiOperation({ summary: 'Delete a webhook and its secret; what is on its way to it is dropped' })
  @ApiNoContentResponse()
  async delete(@Context() context: CommandContext, @Param('id') webhookId: string): Promise<void> {
    await this.commands.execute(new ChangeWebhook(context, { type: 'DeleteWebhook', webhookId }));
  }

  @Post(':id/test')
  @HttpCode(200)
  @Requires('webhooks:write')
  @ApiOperation({
    summary: 'Send a test event, once, to a disabled webhook too, and answer with what came of it',
  })
  @ApiOkResponse({ type: DeliveryView })
  async test(@Context() context: CommandContext, @Param('id') webhookId: string) {
    const deliveryId = idFor(context, 'evt');
    await this.commands.execute(new ChangeWebhook(context, { type: 'TestWebhook', webhookId, deliveryId }));
    return presentDelivery(await this.deliveries.settled(deliveryId, TEST_TIMEOUT_MILLIS));
  }

  @Get(':id/deliveries')
  @Requires('webhooks:read')
  @ApiOperation({ summary: 'List what was sent to a webhook, newest first, with every attempt' })
  @ApiOkResponse({ type: DeliveryList })
  async listDeliveries(
    @CurrentPrincipal() { accountId }: Principal,
    @Param('id') webhookId: string,
    @Query() page: DeliveriesQuery,
  ) {
    await this.webhooks.get(accountId, webhookId);
    return listOf(await this.deliveries.list(webhookId, page), presentDelivery);
  }
}
