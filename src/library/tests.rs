use super::{Document, DocumentFeed, Documents, Error, Event, EventFeed, Options, Session};

#[test]
fn everything_may_go_to_another_thread() {
    fn goes<T: Send>() {}
    goes::<(Options, Document, Error, Session, Event)>();
    goes::<(DocumentFeed, EventFeed, Documents<std::fs::File>)>();
}
