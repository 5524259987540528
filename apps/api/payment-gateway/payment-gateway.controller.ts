import { Body, Controller, Delete, Get, HttpCode, Inject, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import {
  ConnectPaymentGateway,
  DisconnectPaymentGateway,
  GatewayConnections,
  type GatewayConnection,
  presentPaymentGateway,
  WaitingGatewayRequests,
} from '#libs/contexts/payments';
import { SETTINGS } from '#libs/kernel/app';
import type { CommandContext } from '#libs/kernel/event-store';
import { publicUrlOf, type Settings } from '#libs/kernel/system';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context } from '../http/index.js';
import { ConnectPaymentGatewayBody, PaymentGatewayView } from './payment-gateway.dto.js';

@ApiTags('Payment gateway')
@Controller('v1/payment-gateway')
export class PaymentGatewayController {
  constructor(
    private readonly commands: CommandBus,
    private readonly connections: GatewayConnections,
    private readonly requests: WaitingGatewayRequests,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @RequiresPermission('payment_gateway:read')
  @ApiOperation({
    summary: 'Get the connected payment gateway; `provider` is null if no payment gateway is connected',
    description: 'A sandbox has no connected payment gateway, because a sandbox simulates payments.',
  })
  @ApiOkResponse({ type: PaymentGatewayView })
  async get(@CurrentPrincipal() { workspaceId }: Principal): Promise<PaymentGatewayView> {
    return this.present(workspaceId, await this.connections.find(workspaceId));
  }

  @Put()
  @RequiresPermission('payment_gateway:write')
  @ApiOperation({
    summary: 'Connect Stripe to a live workspace, or replace its keys',
    description:
      'The secret key of Stripe is checked with a request to Stripe. Keys that are left out stay as they are. After a change ' +
      'of `JWT_SECRET`, both keys must be set again. While the result of a charge or a refund is unknown, keys of another Stripe ' +
      'account or mode are refused (`charges_pending`).',
  })
  @ApiOkResponse({ type: PaymentGatewayView })
  async connect(
    @Context() context: CommandContext,
    @Body() { secretKey, webhookSecret, returnHosts }: ConnectPaymentGatewayBody,
  ): Promise<PaymentGatewayView> {
    const command = new ConnectPaymentGateway(context, { secretKey, webhookSecret, returnHosts });
    return this.present(context.workspaceId, await this.commands.execute(command));
  }

  @Delete()
  @HttpCode(204)
  @RequiresPermission('payment_gateway:write')
  @ApiOperation({
    summary: 'Disconnect the payment gateway',
    description:
      'The disconnection is refused while the result of a charge or a refund is unknown. Cards stay on file.',
  })
  @ApiNoContentResponse()
  @ApiNotFoundResponse({ description: 'No payment gateway is connected.' })
  async disconnect(@Context() context: CommandContext): Promise<void> {
    await this.commands.execute(new DisconnectPaymentGateway(context));
  }

  private async present(
    workspaceId: string,
    connection: GatewayConnection | undefined,
  ): Promise<PaymentGatewayView> {
    const waiting = await this.requests.ofWorkspace(workspaceId);
    return presentPaymentGateway(workspaceId, connection, waiting, publicUrlOf(this.settings));
  }
}
