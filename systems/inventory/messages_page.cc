#include "systems/inventory/messages_page.h"

#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"

namespace tavola::inventory {
namespace {

constexpr int kMessagesMax = 100;

using inventory_outbox::Message;

void write_message(json::Writer& json, const Message& message) {
  json.begin_object();
  json.name("messageId").text(message.messageId);
  json.name("timestamp").text(message.timestamp);
  json.name("channel").text(to_text(message.channel));
  json.name("kind").text(to_text(message.kind));
  json.name("recipient").text(message.recipient);
  json.name("subject").text(message.subject);
  json.name("text").text(message.text);
  json.name("state").text(to_text(message.state.value_or(Message::State::WAITING)));
  json.name("attempts").integer(message.attempts.value_or(0));
  json.name("nextAttempt").text(message.nextAttempt);
  json.name("lastError").text(message.lastError.value_or(""));
  json.name("sentAt").text(message.sentAt.value_or(""));
  json.end_object();
}

}  // namespace

systems::Route messages_page(const inventory_outbox::InventoryOutbox& outbox, const ShopRights& rights,
                             Channels channels) {
  return {"GET", "/api/messages", [&outbox, &rights, channels](const systems::Visit& visit) {
            const auto shop = rights.shop_of(visit);
            if (!shop) return shop.error();
            std::string body;
            json::Writer json(body);
            json.begin_object();
            json.name("email").boolean(channels.email);
            json.name("webhook").boolean(channels.webhook);
            json.name("messages").begin_list();
            int count = 0;
            for (const auto& message : outbox.messagesOfShop({.shopId = *shop})) {
              if (!message) return server::problem_answer(503, message.error().message());
              if (++count > kMessagesMax) break;
              write_message(json, *message);
            }
            json.end_list();
            json.end_object();
            return http::json_answer(std::move(body));
          }};
}

}  // namespace tavola::inventory
