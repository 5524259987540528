import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';

export class UserView {
  @ApiProperty({ example: 'usr_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B', description: 'The id of the user.' }) id: string;
  @ApiProperty({
    format: 'email',
    description: 'The address that they sign in with.',
    example: 'ada@example.com',
  })
  email: string;
  @ApiProperty({ description: 'The name of the user.', example: 'Ada Lovelace' }) name: string;
  @ApiProperty({ description: 'The workspace.', example: 'acc_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' })
  accountId: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({ enum: ['active', 'disabled'], description: 'Whether they can sign in.' }) status:
    'active' | 'disabled';
}
