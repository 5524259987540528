import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { ArchiveTaxRate, CreateTaxRate, presentTaxRate } from '#libs/contexts/taxes';
import { TaxRateQueries } from '#projections/tax-rates';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import { CreateTaxRateBody, TaxRateList, TaxRateView } from './tax-rate.dto.js';

@ApiTags('Taxes')
@Controller('v1/tax-rates')
export class TaxRatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly rates: TaxRateQueries,
  ) {}

  @Post()
  @RequiresPermission('billing:write')
  @ApiOperation({
    summary: 'Create a tax rate',
    description:
      'The tax rate applies to customers whose `taxRateIds` contain it. If it is in `defaultTaxRateIds` of the billing settings, it ' +
      'also applies to customers without rates of their own. A price, or a line of a manual invoice, can name other rates in ' +
      '`taxRateIds`. So an invoice can have several rates, each with its own base. A rate never changes; create another one for another ' +
      'percentage.',
  })
  @ApiCreatedResponse({ type: TaxRateView })
  async create(@Context() context: CommandContext, @Body() body: CreateTaxRateBody): Promise<TaxRateView> {
    const { name, percentage, inclusive = false, description = null } = body;
    const details = { name, percentage, inclusive, description };
    return presentTaxRate(await this.commands.execute(new CreateTaxRate(context, details)));
  }

  @Get()
  @RequiresPermission('billing:read')
  @ApiOperation({ summary: 'List tax rates, oldest first', description: 'Archived tax rates are included.' })
  @ApiOkResponse({ type: TaxRateList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<TaxRateList> {
    return readPage(
      page,
      this.rates.listOrder,
      (part) => this.rates.list(workspaceId, part),
      ({ shown }) => presentTaxRate(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('billing:read')
  @ApiOperation({
    summary: 'Get a tax rate',
    description: 'The response has the rate in percent, and says whether prices contain the tax.',
  })
  @ApiOkResponse({ type: TaxRateView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<TaxRateView> {
    return presentTaxRate(await this.rates.get(workspaceId, id));
  }

  @Post(':id/archive')
  @HttpCode(200)
  @RequiresPermission('billing:write')
  @ApiOperation({
    summary:
      'Archive a tax rate: nobody can assign it any more, but customers, prices and billing settings that have it keep it',
    description: 'If the tax rate is archived already, nothing changes.',
  })
  @ApiOkResponse({ type: TaxRateView })
  async archive(@Context() context: CommandContext, @Param('id') id: string): Promise<TaxRateView> {
    return presentTaxRate(await this.commands.execute(new ArchiveTaxRate(context, id)));
  }
}
