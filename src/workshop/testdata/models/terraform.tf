variable "dynamoTableName" { type = string }

/* The one table. */
resource "aws_dynamodb_table" "main" {
  name         = var.dynamoTableName
  billing_mode = "PAY_PER_REQUEST" # no idle cost
  hash_key     = "PK"
  range_key    = "SK"

  attribute {
    name = "PK"
    type = "S"
  }
  attribute {
    name = "SK"
    type = "S"
  }
  attribute {
    name = "starRating"
    type = "N"
  }

  global_secondary_index {
    name               = "byStars"
    hash_key           = "starRating"
    range_key          = "SK"
    projection_type    = "INCLUDE"
    non_key_attributes = ["note", "site"]
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }
  tags = merge(local.tags, { Name = "main" })
}

resource "aws_s3_bucket" "files" {
  bucket = "files"
}
