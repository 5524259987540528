import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { ChangeCustomer, type Customer } from '#libs/contexts/customers';
import type { PortalPrincipal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CustomerQueries } from '#projections/customers';
import { CurrentCustomer, PortalOnly } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { addPaymentMethod } from '../payment-methods/new-payment-method.js';
import { CardPageView, CreatePaymentMethodBody } from '../payment-methods/payment-method.dto.js';
import { PortalPaymentMethodList, PortalPaymentMethodView } from './portal-payment-method.dto.js';
import { presentPortalPaymentMethods } from './present.js';

/** Lets customers see and change their own payment methods. */
@ApiTags('Customer portal')
@PortalOnly()
@Controller('v1/portal/payment-methods')
export class PortalPaymentMethodsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: CustomerQueries,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the payment methods of the customer, oldest first',
    description: 'Each entry has a label for display, and says whether invoices are charged to it.',
  })
  @ApiOkResponse({ type: PortalPaymentMethodList })
  async list(
    @CurrentCustomer() { workspaceId, customerId }: PortalPrincipal,
    @Query() page: PageQuery,
  ): Promise<PortalPaymentMethodList> {
    const { state } = await this.customers.get(workspaceId, customerId);
    const rows = presentPortalPaymentMethods(state);
    return pageInMemory(page, { list: 'payment_methods', rows, idOf: ({ id }) => id }, (method) => method);
  }

  @Post()
  @ApiOperation({
    summary: 'Add a payment method; the first payment method of a customer becomes the default',
    description: 'For a card, the response has the URL of the page where the customer enters the card.',
  })
  @ApiExtraModels(PortalPaymentMethodView, CardPageView)
  @ApiCreatedResponse({
    schema: {
      oneOf: [{ $ref: getSchemaPath(PortalPaymentMethodView) }, { $ref: getSchemaPath(CardPageView) }],
    },
  })
  async add(
    @Context() context: CommandContext,
    @CurrentCustomer() { customerId }: PortalPrincipal,
    @Body() body: CreatePaymentMethodBody,
  ): Promise<PortalPaymentMethodView | CardPageView> {
    const added = await addPaymentMethod(this.commands, context, customerId, body);
    return 'page' in added ? added.page : present(added.customer, added.paymentMethodId);
  }

  @Post(':methodId/default')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Make a payment method the default, to which invoices are charged',
    description: 'Later charges use it. The former default stays on file.',
  })
  @ApiOkResponse({ type: PortalPaymentMethodView })
  async makeDefault(
    @Context() context: CommandContext,
    @CurrentCustomer() { customerId }: PortalPrincipal,
    @Param('methodId') paymentMethodId: string,
  ): Promise<PortalPaymentMethodView> {
    const change = { type: 'SetDefaultPaymentMethod', customerId, paymentMethodId } as const;
    return present(await this.commands.execute(new ChangeCustomer(context, change)), paymentMethodId);
  }

  @Delete(':methodId')
  @HttpCode(204)
  @ApiOperation({
    summary:
      'Remove a payment method; if it was the default, the oldest of the other payment methods becomes the default',
    description:
      'Later charges cannot use it. If it was the only one, nothing can be charged until there is another one.',
  })
  @ApiNoContentResponse()
  async remove(
    @Context() context: CommandContext,
    @CurrentCustomer() { customerId }: PortalPrincipal,
    @Param('methodId') paymentMethodId: string,
  ): Promise<void> {
    const change = { type: 'DetachPaymentMethod', customerId, paymentMethodId } as const;
    await this.commands.execute(new ChangeCustomer(context, change));
  }
}

function present(customer: Customer, paymentMethodId: string): PortalPaymentMethodView {
  return presentPortalPaymentMethods(customer).find(({ id }) => id === paymentMethodId)!;
}
