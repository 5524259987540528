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
import { ChangeCustomer, presentPaymentMethods, type Customer } from '#libs/contexts/customers';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { CustomerQueries } from '#projections/customers';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { addPaymentMethod } from './new-payment-method.js';
import {
  CardPageView,
  CreatePaymentMethodBody,
  PaymentMethodList,
  PaymentMethodView,
} from './payment-method.dto.js';

@ApiTags('Payment methods')
@Controller('v1/customers/:id/payment-methods')
export class PaymentMethodsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: CustomerQueries,
  ) {}

  @Post()
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary: 'Add a payment method; the first payment method of a customer becomes the default',
    description:
      'For a card, the response has the URL of the page where the customer enters the card. The card becomes a payment method when the ' +
      'customer has completed the page.',
  })
  @ApiExtraModels(PaymentMethodView, CardPageView)
  @ApiCreatedResponse({
    schema: { oneOf: [{ $ref: getSchemaPath(PaymentMethodView) }, { $ref: getSchemaPath(CardPageView) }] },
  })
  async create(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Body() body: CreatePaymentMethodBody,
  ): Promise<PaymentMethodView | CardPageView> {
    const added = await addPaymentMethod(this.commands, context, customerId, body);
    return 'page' in added ? added.page : present(added.customer, added.paymentMethodId);
  }

  @Get()
  @RequiresPermission('customers:read')
  @ApiOperation({
    summary: "List a customer's payment methods, oldest first",
    description: 'Each entry has a label for display, and says whether invoices are charged to it.',
  })
  @ApiOkResponse({ type: PaymentMethodList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ): Promise<PaymentMethodList> {
    const { state } = await this.customers.get(workspaceId, customerId);
    return pageInMemory(
      page,
      { list: 'payment_methods', rows: presentPaymentMethods(state), idOf: ({ id }) => id },
      (method) => method,
    );
  }

  @Post(':methodId/default')
  @HttpCode(200)
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary: 'Make a payment method the default, to which invoices are charged',
    description: 'Later charges use it. The former default stays on file.',
  })
  @ApiOkResponse({ type: PaymentMethodView })
  async makeDefault(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('methodId') paymentMethodId: string,
  ): Promise<PaymentMethodView> {
    const change = { type: 'SetDefaultPaymentMethod', customerId, paymentMethodId } as const;
    return present(await this.commands.execute(new ChangeCustomer(context, change)), paymentMethodId);
  }

  @Delete(':methodId')
  @HttpCode(204)
  @RequiresPermission('customers:write')
  @ApiOperation({
    summary:
      'Remove a payment method; if it was the default, the oldest of the other payment methods becomes the default',
    description:
      'Later charges cannot use it. If it was the only one, nothing can be charged until there is another one.',
  })
  @ApiNoContentResponse()
  async delete(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('methodId') paymentMethodId: string,
  ): Promise<void> {
    const change = { type: 'DetachPaymentMethod', customerId, paymentMethodId } as const;
    await this.commands.execute(new ChangeCustomer(context, change));
  }
}

function present(customer: Customer, paymentMethodId: string): PaymentMethodView {
  return presentPaymentMethods(customer).find(({ id }) => id === paymentMethodId)!;
}
