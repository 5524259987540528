import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/identity';

export class UserView {
  @ApiProperty({ example: 'usr_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' }) id: string;
  @ApiProperty({ format: 'email' }) email: string;
  @ApiProperty() name: string;
  @ApiProperty({ description: 'The workspace.', example: 'acc_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' })
  accountId: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({ enum: ['active', 'disabled'] }) status: 'active' | 'disabled';
}
