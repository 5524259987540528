import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import { AllocateLicense, DeactivateLicense, presentLicense } from '#libs/contexts/licenses';
import type { CommandContext } from '#libs/kernel/event-store';
import { LicenseQueries } from '#projections/licenses';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage } from '../http/index.js';
import {
  AllocateLicenseBody,
  DeactivatedLicenseView,
  EXAMPLE_LICENSE_ID,
  LicenseList,
  LicenseQuery,
  LicenseView,
  readLicenseAllocation,
} from './license.dto.js';

const IN_PATH = { name: 'id', description: 'The id of the license.', example: EXAMPLE_LICENSE_ID };

@ApiTags('Licenses')
@Controller('v1/licenses')
export class LicensesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly licenses: LicenseQueries,
  ) {}

  @Post()
  @RequiresPermission('licenses:write')
  @ApiOperation({
    summary: 'Allocate a license, which gives a seat to a person',
    description:
      'Each active license counts as a seat for the prices of its license type, in all subscriptions of the customer. With a price in ' +
      'advance, a seat beyond the number of paid seats is charged at once, for the rest of the period. With a price in arrears, the ' +
      'new seat is charged at the end of the period, and the old number of seats is invoiced at once up to the allocation. In a trial ' +
      'or a pause, nothing is charged. If a paid seat was freed, the next license takes it without a charge.',
  })
  @ApiCreatedResponse({ type: LicenseView })
  async allocate(
    @Context() context: CommandContext,
    @Body() body: AllocateLicenseBody,
  ): Promise<LicenseView> {
    const { customerId, licenseTypeId } = readLicenseAllocation(body);
    const license = await this.commands.execute(new AllocateLicense(context, customerId, licenseTypeId));
    return presentLicense(license, context.workspaceId);
  }

  @Get()
  @RequiresPermission('licenses:read')
  @ApiOperation({
    summary: 'List licenses, oldest first, including inactive licenses',
    description:
      'A license is one seat of a customer. The list can be filtered by customer, license type and status.',
  })
  @ApiOkResponse({ type: LicenseList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: LicenseQuery,
  ): Promise<LicenseList> {
    const { customerId, licenseTypeId, status, ...page } = query;
    const filter = {
      ...(customerId ? { customerId } : {}),
      ...(licenseTypeId ? { licenseTypeId } : {}),
      ...(status ? { status } : {}),
    };
    return readPage(
      page,
      this.licenses.listOrder,
      (part) => this.licenses.list(workspaceId, part, filter),
      (license) => presentLicense(license, workspaceId),
    );
  }

  @Get(':id')
  @RequiresPermission('licenses:read')
  @ApiParam(IN_PATH)
  @ApiOperation({
    summary: 'Get a license',
    description: 'The response has the times of the allocation and of the deactivation.',
  })
  @ApiOkResponse({ type: LicenseView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<LicenseView> {
    return presentLicense(await this.licenses.get(workspaceId, id), workspaceId);
  }

  @Post(':id/deactivate')
  @HttpCode(200)
  @RequiresPermission('licenses:write')
  @ApiParam(IN_PATH)
  @ApiOperation({
    summary: 'Deactivate a license, which frees its seat',
    description:
      'The seat is charged until the end of the present period of its price. Until then, another license can take the seat without a ' +
      'charge. A repetition changes nothing.',
  })
  @ApiOkResponse({ type: DeactivatedLicenseView })
  async deactivate(
    @Context() context: CommandContext,
    @Param('id') id: string,
  ): Promise<DeactivatedLicenseView> {
    // A license is in the stream of its customer, and never moves to another customer. So its row always has the right customer.
    const { customerId } = await this.licenses.get(context.workspaceId, id);
    const { deactivatedAt } = await this.commands.execute(new DeactivateLicense(context, customerId, id));
    return { success: true, deactivatedAt };
  }
}
