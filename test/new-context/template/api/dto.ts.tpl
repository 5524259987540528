import { ApiProperty } from '@nestjs/swagger';
import { SingleLineField, ListView } from '../http/index.js';

export class Create{{Name}}Body {
  @SingleLineField({ max: 100, example: 'First', description: 'The name, as lists show it.' })
  name: string;
}

export class {{Name}}View {
  @ApiProperty({ description: 'The id of the {{words}}.', example: '{{idPrefix}}_01JD0000000000000000000000' })
  id: string;
  @ApiProperty({ description: 'The name, as lists show it.', example: 'First' })
  name: string;
  @ApiProperty({ format: 'date-time', description: 'The time of the creation.' })
  createdAt: string;
}

export class {{Name}}List extends ListView {
  @ApiProperty({ type: [{{Name}}View] }) data: {{Name}}View[];
}
