resource "aws_dynamodb_table" "library" {
  name           = var.libraryTable
  billing_mode   = "PROVISIONED"
  hash_key       = "PK"
  range_key      = "SK"
  read_capacity  = 5
  write_capacity = 5

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  attribute {
    name = "yearNumber"
    type = "N"
  }

  attribute {
    name = "yearKey"
    type = "S"
  }

  attribute {
    name = "stateKey"
    type = "S"
  }

  attribute {
    name = "stateSince"
    type = "S"
  }

  global_secondary_index {
    name               = "byYear"
    hash_key           = "yearNumber"
    range_key          = "yearKey"
    projection_type    = "INCLUDE"
    non_key_attributes = ["title"]
    read_capacity      = 5
    write_capacity     = 5
  }

  global_secondary_index {
    name            = "byState"
    hash_key        = "stateKey"
    range_key       = "stateSince"
    projection_type = "KEYS_ONLY"
    read_capacity   = 5
    write_capacity  = 5
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }
}
